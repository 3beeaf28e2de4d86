import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';

onFakeNode('the reference page', (service) => {
  it('loads nothing and runs nothing: its policy allows its own style and no more', async () => {
    const { status, headers, text } = await service.client.ask('GET', '/docs');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    const style = /<style>([\s\S]*?)<\/style>/.exec(text)?.[1] ?? '';
    const own = hash('sha256', style, 'base64');
    expect(headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'sha256-${own}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(text).not.toMatch(/<script|<img|<link|<iframe|\son\w+=|\sstyle=|@import|url\(/i);
    // Addresses of others stand in examples only, never in what a browser would follow.
    expect([...text.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, to]) => to).filter((to) => !/^(#|openapi\.json$)/.test(to ?? ''))).toEqual(
      [],
    );
  });

  it('shows every operation, object and type of error, each where its links point', async () => {
    const { text } = await service.client.ask('GET', '/docs');
    const { body } = await service.client.ask('GET', '/openapi.json');
    const ids = new Set([...text.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id));
    const operations = Object.values<Record<string, { operationId?: string }>>(body.paths).flatMap((item) => Object.values(item));
    const names = operations.flatMap(({ operationId }) => operationId ?? []);
    expect(names.length).toBeGreaterThan(20);
    const targets = [...text.matchAll(/href="#([^"]*)"/g)].map(([, target]) => target);
    for (const id of [...names, ...targets]) expect(ids, id).toContain(id);
    for (const type of body.components.schemas.Error.properties.type.enum) expect(text).toContain(`<code>${type}</code>`);
  });
});
