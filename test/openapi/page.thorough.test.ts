import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';

onFakeNode('the reference page', (service) => {
  it('runs only its own script, and loads and sends nothing but the document of this service', async () => {
    const { status, headers, text } = await service.client.request('GET', '/docs');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    const inline = [...text.matchAll(/<script type="text\/javascript">([^<]*)<\/script>/g)].map(([, script]) => script ?? '');
    expect(inline).toHaveLength(1);
    expect(headers.get('content-security-policy')).toBe(
      `default-src 'none'; script-src 'self' 'sha256-${hash('sha256', inline[0] ?? '', 'base64')}'; style-src 'unsafe-inline'; ` +
        "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    // The addresses are relative, so that they work below a path, and no other origin is named.
    expect([...text.matchAll(/\b(?:href|src)="([^"]*)"/g)].map(([, to]) => to)).toEqual(['docs/scalar.js']);
    expect([...text.matchAll(/"url": "([^"]*)"/g)].map(([, to]) => to)).toEqual(['openapi.json', 'openapi-operator.json']);
    expect(text).not.toMatch(/https?:|<img|<link|<iframe|\son\w+=|@import|url\(/i);
  });

  it('serves the script of the page from its own origin, compressed where the client accepts it', async () => {
    const script = `${service.client.url}/docs/scalar.js`;
    const response = await fetch(script, { headers: { 'accept-encoding': 'gzip' } });
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(response.headers.get('cache-control')).toBe('public, max-age=86400');
    const text = await response.text();
    expect(text).toContain('createApiReference');
    // The policy allows neither.
    expect(text).not.toMatch(/new Function\(|\beval\(/);
    const plain = await fetch(script, { headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await plain.text()).toBe(text);
  });

  it('keeps the strict policy everywhere else', async () => {
    for (const path of ['/openapi.json', '/docs/scalar.js', '/healthz', '/docs/more', '/v1/wallets'])
      expect((await service.client.request('GET', path)).headers.get('content-security-policy'), path).toBe(
        "default-src 'none'; frame-ancestors 'none'",
      );
  });
});
