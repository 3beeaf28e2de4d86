import { get, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import cases from './cases/accept-header.json' with { type: 'json' };

onFakeNode('the response of an LNURL route', ({ client }) => {
  const paths: string[] = [];

  beforeAll(async () => {
    const wallet = await client.wallet(1000);
    const pay = await client.post(`/v1/wallet/${wallet.id}/lnurlp`, { lnurlp_short_desc: 'tips', lnurlp_identifier: 'accept' });
    const { url } = await client.post(`/v1/wallet/${wallet.id}/lnurl/withdraw`, { num_satoshis: 20 });
    for (const path of ['/.well-known/lnurlp/accept', '/.well-known/lnurlp/nobody', pay.url, url, `${url}0`])
      paths.push(new URL(path, client.url).href);
  });

  /** Sends exactly these headers. `fetch` adds an Accept header. */
  function typesOf(headers: object): Promise<string[]> {
    const typeOf = (url: string) =>
      new Promise<string>((resolve, reject) => {
        get(url, { headers: { ...headers } }, (response) => {
          response.resume();
          resolve(response.statusCode === 302 ? 'page' : (response.headers['content-type'] ?? '').includes('html') ? 'page' : 'json');
        }).on('error', reject);
      });
    return Promise.all(paths.map(typeOf));
  }

  it.each(cases.json)('is JSON for %j', async (headers) => {
    expect(await typesOf(headers)).toEqual(paths.map(() => 'json'));
  });

  it.each(cases.page)('is a page for %j', async (headers) => {
    expect(await typesOf(headers)).toEqual(paths.map(() => 'page'));
  });
});

onFakeNode('the response to an unknown path', ({ client }) => {
  /** `fetch` would add an Accept header. */
  function open(path: string, headers: object): Promise<{ status: number | undefined; headers: IncomingHttpHeaders; text: string }> {
    return new Promise((resolve, reject) => {
      get(new URL(path, client.url), { headers: { ...headers } }, async (response) => {
        resolve({ status: response.statusCode, headers: response.headers, text: await text(response) });
      }).on('error', reject);
    });
  }

  it.each(cases.json)('is the error object of the API for %j', async (headers) => {
    const response = await open('/v1/nothing', headers);
    expect([response.status, response.headers['content-type']]).toEqual([404, 'application/json']);
    expect(JSON.parse(response.text)).toMatchObject({ type: 'not_found', status: 404 });
  });

  it.each(cases.page)('is a page for %j', async (headers) => {
    for (const [path, root] of [
      ['/nothing', './'],
      ['/no/such/page?query=1', '../../'],
      ['/v1/nothing', '../'],
      ['/nothing/', '../'],
    ] as const) {
      const response = await open(path, { ...headers, 'accept-language': 'fr, de-AT;q=0.8, en;q=0.5' });
      expect([response.status, response.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
      expect(response.headers).toMatchObject({ 'content-language': 'de', 'cache-control': 'no-store' });
      expect(response.headers.vary).toContain('Accept-Language');
      expect(response.text).toContain('<html lang="de">');
      expect(response.text).toContain('<h1>Seite nicht gefunden</h1>');
      expect(response.text).toContain(`href="${root}"`);
    }
  });

  it('is in English for a browser in a language that the page does not have, and in Spanish for one in Spanish', async () => {
    const [page] = cases.page;
    expect((await open('/nothing', { ...page, 'accept-language': 'fr' })).text).toContain('<h1>Page not found</h1>');
    expect((await open('/nothing', { ...page, 'accept-language': 'es-MX' })).text).toContain('<h1>Página no encontrada</h1>');
  });
});
