import { expect, it, vi } from 'vitest';
import { onFakeNodeWithSqlite } from '../support/app.ts';

const BURST = 3;
const SENT = 14;

onFakeNodeWithSqlite(
  'X-Forwarded-For of a proxy',
  ({ client, openAlerts }) => {
    const statusesOf = (entryOf: (i: number) => string) =>
      Promise.all(
        Array.from({ length: SENT }, async (_, i) => {
          const headers = { 'x-forwarded-for': entryOf(i) };
          return (await client.request('GET', '/.well-known/lnurlp/nobody', { headers })).body.reason;
        }),
      );
    const limited = expect.stringContaining('Too many');

    it.each<[string, (i: number) => string]>([
      ['with a port', (i) => `203.0.113.8:${40_000 + i}`],
      ['with brackets and a port', (i) => `[2001:db8::1]:${40_000 + i}`],
      ['with a zone', (i) => `fe80::1%eth${i}`],
      ['mapped into IPv6', (i) => `[::ffff:203.0.113.${9}]:${i}`],
      ['in quotes', (i) => `"203.0.113.10:${i}"`],
    ])('counts an address %s once', async (_name, entryOf) => {
      expect(await statusesOf(entryOf)).toContainEqual(limited);
      expect(await openAlerts()).toEqual([]);
    });

    it('counts entries that are no addresses for the proxy, and raises an alert', async () => {
      expect(await statusesOf((i) => `_hidden${i}`)).toContainEqual(limited);
      await vi.waitFor(async () => expect(await openAlerts()).toMatchObject([{ kind: 'proxy_address_unreadable', subject: '127.0.0.1' }]), {
        timeout: 150_000,
      });
    });
  },
  { TRUST_PROXY: '1', ADDRESS_RATE_LIMIT_PER_SECOND: '1', ADDRESS_RATE_LIMIT_BURST: String(BURST) },
);
