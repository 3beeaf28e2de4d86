import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { TestWallet } from '../support/client.ts';

onFakeNode(
  'lines of requests',
  ({ client, neighbour, problems }) => {
    const count = 400;
    const post = (path: string, lines: readonly object[], key = client.secretKey, name = randomUUID()) =>
      client.request('POST', path, { key, json: { lines }, headers: { 'idempotency-key': name } });
    const linesTo = ({ id }: TestWallet, field: string) => Array.from({ length: count }, () => ({ [field]: id, num_satoshis: 1 }));

    it('cost one request each, of a limit that all keys of the account share', async () => {
      const [payer, friend] = [await client.wallet(10_000), await client.wallet()];
      const [first, second] = [randomUUID(), randomUUID()];
      const path = `/v1/wallet/${payer.id}/transfers`;
      const lines = linesTo(friend, 'dest_wallet_id');
      expect((await post(path, lines, client.secretKey, first)).status).toBe(201);
      expect((await post(path, lines, payer.admin, second)).status).toBe(201);
      const refused = await post(path, lines);
      expect([refused.status, refused.body.type]).toEqual([429, 'rate_limited']);
      expect((await post(`/v1/wallet/${payer.id}/payouts`, linesTo(friend, 'destination'))).status).toBe(429);
      // Replays are free, and other requests have a limit of their own.
      expect((await post(path, lines, client.secretKey, first)).headers.get('idempotency-replayed')).toBe('true');
      expect((await client.get(`/v1/wallet/${friend.id}`)).balance).toBe(2 * count);
      const [other, others] = [await neighbour.wallet(1000), await neighbour.wallet()];
      expect((await post(`/v1/wallet/${other.id}/transfers`, linesTo(others, 'dest_wallet_id'), neighbour.secretKey)).status).toBe(201);
      expect(await problems()).toEqual([]);
    });
  },
  { RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '1000' },
);
