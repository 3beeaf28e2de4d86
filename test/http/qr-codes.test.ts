import { PNG } from 'pngjs';
import readQr from 'qr/decode.js';
import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';

function readPng(bytes: Buffer): string {
  const { width, height, data } = PNG.sync.read(bytes);
  return readQr({ width, height, data });
}

onFakeNode('GET /v1/lntx/…/qr.{svg,png}', (service) => {
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
