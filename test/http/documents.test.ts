import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';

onFakeNode('documents', (service) => {
  const request = (path: string, headers: Record<string, string> = {}, method = 'GET') => service.client.request(method, path, { headers });

  it('returns the dashboard to browsers: at `/` and at the path of every screen, with a policy that allows only its own files', async () => {
    const wallet = await service.client.wallet(10);
    const paths = ['/', '/wallets', `/wallets/${wallet.id}/receive`, '/login', '/setup', '/operator/proofs', '/playground'];
    for (const path of paths) {
      const { status, headers, text } = await request(path, { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
      expect([path, status, headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8']);
      expect(headers.get('vary')).toMatch(/^Accept(,|$)/);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
      expect(policy).not.toMatch(/unsafe|http|\*/);
      expect(text).toContain('<base href="/" />');
      expect(text).not.toMatch(/<script>|<style|\son\w+=|\sstyle=/i);
    }
  });

  it('returns the files of the dashboard, compressed, and lets browsers keep those with a hash in the name', async () => {
    const { text } = await request('/', { accept: 'text/html' });
    const files = [...text.matchAll(/(?:href|src)="\.\/([^"]+)"/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThan(4);
    for (const file of files) {
      const { status, headers, text: content } = await request(`/${file}`, { 'accept-encoding': 'br' });
      expect([file, status]).toEqual([file, 200]);
      expect(headers.get('cache-control')).toBe(file.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache');
      expect(headers.get('content-encoding')).toBe(/\.(js|css|svg|webmanifest)$/.test(file) && content.length > 1024 ? 'br' : null);
    }
  });

  it('returns the addresses of the documents to a client that accepts JSON', async () => {
    const { status, headers, body } = await request('/', { accept: 'application/json' });
    expect({ status, type: headers.get('content-type') }).toEqual({ status: 200, type: 'application/json; charset=utf-8' });
    expect(body).toEqual({ name: 'Satchel', docs: 'docs', openapi: 'openapi.json', health: 'healthz' });
  });

  it('redirects a trailing slash on documents, also below a path', async () => {
    for (const name of ['docs', 'openapi.json']) {
      const { status, headers } = await fetch(`${service.client.url}/${name}/?access-token=x`, { redirect: 'manual' });
      expect({ status, location: headers.get('location') }).toEqual({ status: 308, location: `../${name}` });
      expect((await request(`/${name}/`)).status).toBe(200);
    }
  });

  it('accepts a trailing slash on the API', async () => {
    const { client } = service;
    const wallet = await client.wallet(10);
    expect((await client.get(`/v1/wallet/${wallet.id}/`)).balance).toBe(10);
    expect((await client.get('/v1/wallets/?per-page=100')).length).toBeGreaterThan(0);
    const made = await client.request('POST', `/v1/wallet/${wallet.id}/invoice/`, { key: wallet.admin, json: { num_satoshis: 1 } });
    expect(made.status).toBe(201);
    const lnurl = await client.request('GET', `/v1/wallet/${wallet.id}/lnurl-process/?ott=x`);
    expect(lnurl).toMatchObject({ status: 200, body: { status: 'ERROR' } });
    expect((await request('/healthz/')).status).toBe(200);
    expect((await client.request('GET', `/v1/wallet/${wallet.id}/`)).status).toBe(401);
  });

  it.each(['/healthz', '/readyz', '/openapi.json'])('lets any page read %s', async (path) => {
    const { headers } = await request(path, { origin: 'https://shop.example' });
    expect(headers.get('access-control-allow-origin')).toBe('*');
    const preflight = await request(path, { origin: 'https://shop.example', 'access-control-request-method': 'GET' }, 'OPTIONS');
    expect(preflight.status).toBe(204);
  });

  it('hides other addresses from pages of another origin', async () => {
    for (const path of ['/metrics', '/playground', '/healthz.example', '/openapi.json/more'])
      expect((await request(path)).headers.get('access-control-allow-origin'), path).toBeNull();
  });
});

onFakeNode('HEAD', (service) => {
  it('returns the headers of GET where GET has no side effect', async () => {
    const { client } = service;
    const wallet = await client.wallet(10);
    const paths = ['/', '/docs', '/openapi.json', '/healthz', '/readyz', '/v1/wallets', `/v1/wallet/${wallet.id}`];
    for (const path of [...paths, `/v1/wallet/${wallet.id}/transactions`, '/v1/wallets?per-page=none', '/v1/lntx/unknown']) {
      const [get, head] = [
        await client.request('GET', path, { key: client.secretKey }),
        await client.request('HEAD', path, { key: client.secretKey }),
      ];
      expect([path, head.status, head.text]).toEqual([path, get.status, '']);
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
      expect(head.headers.get('content-security-policy')).toBe(get.headers.get('content-security-policy'));
      const length = path === '/v1/wallets?per-page=none' || path.startsWith('/v1/lntx') ? undefined : String(Buffer.byteLength(get.text));
      if (length !== undefined) expect([path, head.headers.get('content-length')]).toEqual([path, length]);
    }
    expect((await client.request('HEAD', `/v1/wallet/${wallet.id}`)).status).toBe(401);
  });

  it('reads nothing for a statement', async () => {
    const { client } = service;
    const wallet = await client.wallet(10);
    const head = await client.request('HEAD', `/v1/wallet/${wallet.id}/statement`, { key: wallet.read });
    expect([head.status, head.headers.get('content-type'), head.text]).toEqual([200, 'text/csv; charset=utf-8', '']);
  });

  it('is 405 where GET creates or pays something, and does neither', async () => {
    const { client, net } = service;
    const wallet = await client.wallet(1000);
    const link = await client.get(`/v1/wallet/${wallet.id}/lnurl/withdraw?num_satoshis=10`);
    const { paymentRequest } = net.outside.invoice({ amountMsat: 10_000 });
    const process = `${new URL(link.url).pathname}${new URL(link.url).search}&pr=${paymentRequest}`;
    for (const path of [`/v1/wallet/${wallet.id}/lnurl/withdraw`, `/v1/user/wallet/${wallet.id}/lnurl/withdraw`, process]) {
      const head = await client.request('HEAD', path, { key: client.secretKey });
      expect([head.status, head.headers.get('allow')]).toEqual([405, expect.not.stringContaining('HEAD')]);
    }
    expect(await client.get(`/v1/wallet/${wallet.id}`)).toMatchObject({ balance: 1000, pending_msat: 0 });
    expect(await service.problems()).toEqual([]);
  });
});
