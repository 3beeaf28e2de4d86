import { get } from 'node:http';
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
