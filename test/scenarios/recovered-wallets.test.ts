import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMarkers } from '../../src/core/kernel/markers.ts';
import type { LightningNode } from '../../src/core/lightning/node.ts';
import type { RecordPage, RecordQuery } from '../../src/core/lightning/record-page.ts';
import { findSecretKey } from '../../src/secret-key.ts';
import { onFakeNode } from '../support/app.ts';
import type { Json } from '../support/client.ts';

const STEP = fc.record({
  wallet: fc.nat({ max: 2 }),
  type: fc.constantFrom('receive', 'pay', 'fail', 'keysend'),
  sats: fc.integer({ min: 1, max: 50 }),
});

async function readAll<T>(read: (query: RecordQuery) => Promise<RecordPage<T>>): Promise<T[]> {
  const records: T[] = [];
  for (let cursor: string | undefined; ; ) {
    const page: RecordPage<T> = await read({ sinceSeconds: 0, cursor, limit: 3 });
    records.push(...page.records);
    if (page.next === undefined) return records;
    cursor = page.next;
  }
}

onFakeNode('a lost database', (service) => {
  const { client, net } = service;

  it('leaves the wallet of each payment and receipt in the records of the node, for the holder of SECRET_KEY', async () => {
    const alice = (await client.get('/playground')).nodes.find(({ name }: Json) => name === 'alice').pubkey;
    const wallets: string[] = [];
    for (let n = 0; n < 3; n += 1) wallets.push((await client.wallet(10_000)).id);
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { minLength: 5, maxLength: 15 }), async (steps) => {
        for (const { wallet: at, type, sats } of steps) {
          const wallet = wallets[at] as string;
          if (type === 'receive') {
            const { payment_request: paymentRequest } = await client.post(`/v1/wallet/${wallet}/invoice`, { num_satoshis: sats });
            await net.outside.pay({ paymentRequest });
          } else if (type === 'keysend') {
            const body = { dest_pubkey: alice, num_satoshis: sats };
            await client.post(`/v1/wallet/${wallet}/keysend`, body);
          } else {
            const script = type === 'fail' ? ({ fail: 'NO_ROUTE' } as const) : {};
            const { paymentRequest } = net.outside.invoice({ amountMsat: sats * 1000, script });
            await client.request('POST', `/v1/wallet/${wallet}/withdraw`, {
              key: client.secretKey,
              json: { payment_request: paymentRequest },
            });
          }
        }
      }),
      { numRuns: 3, seed: 11 },
    );
    const paid = await service.rows('SELECT id, wallet_id, payment_hash, state FROM payment WHERE invoice_id IS NULL');
    const received = await service.rows("SELECT wallet_id, payment_hash FROM invoice WHERE state = 'settled' AND is_keysend = 0");
    expect([paid.length > 5, received.length > 5]).toEqual([true, true]);
    await service.restart(async () => {
      // From here on nothing reads the database.
      const markers = createMarkers((await findSecretKey({ secretKey: undefined, dataDir: service.dataDir })) as Uint8Array);
      const node: LightningNode = net.connect();
      const found = (await readAll((query) => node.readSentPayments(query))).map(({ marker, paymentHash, outcome }) => {
        const { walletId, paymentId } = markers.openPayment(marker, paymentHash) ?? {};
        return `${paymentId} ${walletId} ${paymentHash} ${outcome.state}`;
      });
      expect(found.sort()).toEqual(paid.map((row) => `${row.id} ${row.wallet_id} ${row.payment_hash} ${row.state}`).sort());
      const credited = (await readAll((query) => node.readSettlements(query))).map(({ preimage, paymentHash }) => [
        markers.walletOfPreimage(preimage),
        paymentHash,
      ]);
      const named = credited.filter(([walletId]) => walletId !== undefined).map(String);
      expect(named.sort()).toEqual(received.map((row) => `${row.wallet_id},${row.payment_hash}`).sort());
      await node.close();
    });
    expect(await service.problems()).toEqual([]);
  });
});
