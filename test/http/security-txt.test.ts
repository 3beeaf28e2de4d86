import { expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { onFakeNode } from '../support/app.ts';

const PATH = '/.well-known/security.txt';

onFakeNode(
  'a service with SECURITY_CONTACT',
  ({ client }) => {
    it('says in security.txt where a vulnerability is reported, without a key', async () => {
      const response = await fetch(client.url + PATH);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
      const fields = (await response.text())
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/: (.*)/, 2));
      expect(fields).toEqual([
        ['Contact', 'mailto:security@example.com'],
        ['Contact', 'https://example.com/security'],
        ['Expires', expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)],
        ['Canonical', expect.stringMatching(/^http\S+\/\.well-known\/security\.txt$/)],
      ]);
      const days = (Date.parse(String(fields[2]?.[1])) - Date.parse(String(response.headers.get('date')))) / 86_400_000;
      expect(Math.round(days)).toBe(30);
    });
  },
  { SECURITY_CONTACT: 'security@example.com, https://example.com/security' },
);

onFakeNode('a service without SECURITY_CONTACT', ({ client }) => {
  it('has no security.txt', async () => {
    expect((await fetch(client.url + PATH)).status).toBe(404);
  });
});

it('rejects a SECURITY_CONTACT that is no URI of a contact', () => {
  for (const SECURITY_CONTACT of ['security', 'http://example.com', 'a@b.c\nContact: x', 'javascript:alert(1)', 'mailto:'])
    expect(() => readConfig({ SECURITY_CONTACT }), SECURITY_CONTACT).toThrow(/^SECURITY_CONTACT must be/);
});
