import { expect, it } from 'vitest';
import { openCln } from '../../../src/core/lightning/cln/cln-node.ts';
import { silentLog as log } from '../../support/ledger.ts';
import { MARKER, ORDER, PREIMAGE } from './orders.ts';
import { replayOnSocket } from './replay.ts';

const timing = { waitMs: 2000, quietMs: 100, heartbeatMs: 1000 };
const PAID = { status: 'complete', payment_preimage: PREIMAGE, created_at: 1_700_000_000, completed_at: 1_700_000_009 };

/** Returns a part of a payment under the label of the service, whose receiver gets 1,000,000 msat. */
function part(index: number, hash: string, fields: object = {}) {
  const amounts = { amount_msat: 1_000_000, amount_sent_msat: 1_000_100 };
  return {
    ...PAID,
    ...amounts,
    created_index: index,
    payment_hash: hash,
    label: `pay_1 ${MARKER}`,
    bolt11: ORDER.paymentRequest,
    ...fields,
  };
}

/** Returns the payments that a node with these rows reports. */
async function sentPayments(rows: readonly ReturnType<typeof part>[]) {
  const { url } = await replayOnSocket({
    listsendpays: ({ payment_hash: hash, start = 1 }) => ({
      result: { payments: rows.filter((row) => (hash ? row.payment_hash === hash : row.created_index >= Number(start))) },
    }),
  });
  return openCln({ url, log, timing }).readSentPayments({ sinceSeconds: 0, cursor: '1' });
}

const [HASH, OTHER] = [ORDER.paymentHash, '0b'.repeat(32)];

it('skips what other programs have sent, also without amounts, with the same payment hash and with texts that are not invoices', async () => {
  const ours = [part(1, HASH), part(5, HASH)];
  const foreign = [
    part(2, HASH, { label: undefined, amount_msat: undefined }),
    part(3, OTHER, { label: 'rent', bolt11: 'not an invoice' }),
    part(4, OTHER, { label: undefined, payment_preimage: undefined }),
    part(6, OTHER, { label: undefined, amount_msat: undefined, bolt11: undefined }),
  ];
  const { records, next } = await sentPayments([...ours, ...foreign].sort((one, other) => one.created_index - other.created_index));
  expect(records).toMatchObject([{ marker: MARKER, amountMsat: 2_000_000, outcome: { state: 'succeeded', feeMsat: 200 } }]);
  expect(next).toBe('7');
});

it('returns the sum of the parts as the amount of a payment whose invoice cannot be read', async () => {
  const { records } = await sentPayments([1, 2, 3].map((index) => part(index, HASH, { bolt11: 'not an invoice' })));
  expect(records).toMatchObject([{ amountMsat: 3_000_000, paymentRequest: 'not an invoice', outcome: { feeMsat: 300 } }]);
});

it('returns what was sent as the amount of a payment whose parts have none', async () => {
  const { records } = await sentPayments([1, 2].map((index) => part(index, HASH, { bolt11: undefined, amount_msat: undefined })));
  expect(records).toMatchObject([{ marker: MARKER, amountMsat: 2_000_200, outcome: { state: 'succeeded', feeMsat: 0 } }]);
});
