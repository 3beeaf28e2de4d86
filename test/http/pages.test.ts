import { PNG } from 'pngjs';
import readQr from 'qr/decode.js';
import { describe, expect, it } from 'vitest';
import { html } from '../../src/http/pages/html.ts';
import { onFakeNode } from '../support/app.ts';

/** What a browser sends. */
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

/** One pixel. */
const IMAGE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

function readPng(bytes: Buffer): string {
  const { width, height, data } = PNG.sync.read(bytes);
  return readQr({ width, height, data });
}

onFakeNode('QR codes of invoices', (service) => {
  const image = (path: string, key = service.client.secretKey) => fetch(`${service.client.url}${path}?access-token=${key}`);

  it('returns an image from which a QR reader reads the invoice', async () => {
    const wallet = await service.client.wallet();
    for (const memo of ['tea', 'é'.repeat(300)]) {
      const invoice = await service.client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 20, memo });
      const response = await image(`/v1/lntx/${invoice.id}/qr.png`);
      expect(response.headers.get('content-type')).toBe('image/png');
      expect(readPng(Buffer.from(await response.arrayBuffer()))).toBe(`lightning:${invoice.payment_request.toUpperCase()}`);
    }
  });

  it('returns an SVG document without scripts and styles, black on white', async () => {
    const wallet = await service.client.wallet();
    const invoice = await service.client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 20 });
    const response = await image(`/v1/lntx/${invoice.id}/qr.svg`, service.client.publicKey);
    expect(response.headers.get('content-type')).toBe('image/svg+xml');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await response.text()).toMatch(
      /^<svg [^>]*><rect [^>]*fill="white"[^>]*><\/rect><path d="[MLZ0-9 ]+" fill="black"><\/path><\/svg>$/,
    );
  });

  it('returns 404 for payments, keysends, other accounts and other formats', async () => {
    const [payer, payee] = [await service.client.wallet(100), await service.client.wallet()];
    const invoice = await service.client.post(`/v1/wallet/${payee.id}/invoice`, { num_satoshis: 20 });
    const payment = await service.client.post(`/v1/wallet/${payer.id}/withdraw`, { payment_request: invoice.payment_request });
    for (const path of [`${payment.lnTx.id}/qr.svg`, 'lntx_nothing/qr.svg', `${invoice.id}/qr`])
      expect((await image(`/v1/lntx/${path}`)).status, path).toBe(404);
    expect((await image(`/v1/lntx/${invoice.id}/qr.svg`, service.neighbour.secretKey)).status).toBe(404);
    expect((await image(`/v1/lntx/${invoice.id}/qr.gif`)).status).toBe(400);
    expect((await image(`/v1/lntx/${invoice.id}/qr.svg`, 'sak_unknown')).status).toBe(401);
  });
});

describe('markup', () => {
  it('contains values as text, unless they are markup', () => {
    const list = ['<b>', html`<i>${'&'}</i>`];
    expect(html`<p title="${'"\''}">${list}${undefined}</p>`.markup).toBe('<p title="&quot;&#39;">&lt;b&gt;<i>&amp;</i></p>');
  });
});

onFakeNode('pages of links', ({ client }) => {
  const open = async (url: string): Promise<string> => {
    const response = await fetch(url.replace(/^https?:\/\/[^/]+/, client.url), { headers: BROWSER });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; img-src data:;/);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const page = await response.text();
    expect(page).not.toMatch(/<script|src="(?!data:)|url\(/);
    return page;
  };
  const readImage = async (url: string): Promise<string> => readPng(Buffer.from(await (await fetch(url)).arrayBuffer()));

  it('shows the page of a Lightning address at each of its URLs', async () => {
    const wallet = await client.wallet();
    const link = await client.post(`/v1/wallet/${wallet.id}/lnurlp`, {
      lnurlp_identifier: 'alma',
      lnurlp_short_desc: 'tips',
      lnurlp_maxSendable_msat: 5_000_000,
      lnurlp_image: IMAGE,
    });
    for (const url of [`${client.url}/.well-known/lnurlp/Alma`, `${client.url}/@alma`, link.lnurl_decoded]) {
      const response = await fetch(url, { headers: BROWSER });
      expect([response.status, response.url]).toEqual([200, `${client.url}/pay/alma`]);
      const page = await response.text();
      for (const part of [link.ln_address, 'tips', 'From 1 to 5\u202f000 sats', IMAGE.slice(0, 60)]) expect(page, url).toContain(part);
    }
    expect(await readImage(`${link.lnurl_decoded}/qr.png`)).toBe(`lightning:${link.lnurl_encoded}`);
    expect((await client.request('GET', '/.well-known/lnurlp/alma')).body.tag).toBe('payRequest');
  });

  it('shows a withdraw link with the amount that can be withdrawn', async () => {
    const wallet = await client.wallet(1000);
    const link = await client.post(`/v1/wallet/${wallet.id}/lnurl/withdraw`, { num_satoshis: 300, memo: 'gift' });
    const page = await open(link.url);
    for (const part of ['gift', 'Up to 300 sat', `href="lightning:${link.lnurl}"`]) expect(page).toContain(part);
    expect(await readImage(link.url.replace('lnurl-process', 'lnurl-process/qr.png'))).toBe(`lightning:${link.lnurl}`);
  });

  it('L7: shows texts of people as text', async () => {
    const wallet = await client.wallet(1000);
    const text = '<script>alert("1")</script>&amp;';
    const escaped = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;amp;';
    const { url } = await client.post(`/v1/wallet/${wallet.id}/lnurl/withdraw`, { num_satoshis: 300, memo: text });
    expect(await open(url)).toContain(escaped);
  });

  it('L8: the Host header does not change a URL of a page', async () => {
    const wallet = await client.wallet(1000);
    const { url } = await client.post(`/v1/wallet/${wallet.id}/lnurl/withdraw`, { num_satoshis: 300 });
    const headers = { ...BROWSER, 'x-forwarded-host': 'evil.example', referer: 'https://evil.example/' };
    expect(await (await fetch(url, { headers })).text()).toBe(await open(url));
  });

  it('shows why a link does not work, and returns no QR code for it', async () => {
    const wallet = await client.wallet();
    for (const url of ['/@nobody', '/.well-known/lnurlp/nobody', `/v1/wallet/${wallet.lnurlPay}/lnurlp/lnurlp_nothing`])
      expect(await open(`${client.url}${url}`)).toContain('does not exist');
    expect(await open(`${client.url}/v1/wallet/${wallet.lnurlWithdraw}/lnurl-process?ott=nothing`)).toContain(
      'This withdraw link is not valid.',
    );
    for (const path of [`${wallet.lnurlPay}/lnurlp/lnurlp_nothing/qr.svg`, `${wallet.lnurlWithdraw}/lnurl-process/qr.png?ott=nothing`])
      expect((await fetch(`${client.url}/v1/wallet/${path}`, { headers: BROWSER })).status).toBe(400);
  });
});
