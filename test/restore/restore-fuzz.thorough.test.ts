import type { Json } from '../support/client.ts';
import type { Behavior, OutsideRecord } from './lossy-load.ts';
import { type FuzzedNode, restoreFuzz } from './restore-fuzz.ts';

/*
 * `RESTORE_FUZZ=50` makes 50 runs with backups that are at least a minute old. A failure names its seed, for `RESTORE_FUZZ_SEED`.
 */
const isLong = process.env.RESTORE_FUZZ !== undefined;

/** What the fake node reads in the memo of an invoice. */
const WORDS: Readonly<Record<Behavior, string>> = {
  succeeds: '',
  fails: 'fail=NO_ROUTE',
  hangs: 'hang',
  'is-slow': 'delay=2',
  'lost-response': 'lose-answer',
  'lost-request': 'lose-call',
};

restoreFuzz({
  software: 'the fake node',
  runs: Number(process.env.RESTORE_FUZZ ?? 3),
  backupAgeMs: isLong ? 60_000 : 3_000,
  pauseMs: isLong ? 200 : 20,
  waitMs: 200_000,
  start: async (_directory, seed) => fakeNode(seed),
});

function fakeNode(seed: number): FuzzedNode {
  const feesMsat = new Map<string, number>();
  return {
    lightningUrl: `fake:?seed=${seed}`,
    behaviors: ['succeeds', 'succeeds', 'succeeds', 'fails', 'hangs', 'is-slow', 'lost-response', 'lost-request'],
    async createInvoice(client, { sats, feeMsat, behavior }) {
      const memo = `fee=${feeMsat} ${WORDS[behavior]}`;
      const made = await client.post('/playground/invoice', { num_satoshis: sats, memo });
      feesMsat.set(made.payment_hash, feeMsat);
      return { paymentRequest: made.payment_request, paymentHash: made.payment_hash };
    },
    payInvoice: (client, paymentRequest) => client.post('/playground/pay', { payment_request: paymentRequest }),
    decide: (client, hash, action) => client.request('POST', `/playground/hold/${hash}`, { key: client.secretKey, json: { action } }),
    async records(client) {
      const all: (OutsideRecord & { readonly id: number })[] = [];
      for (;;) {
        const { payments } = await client.get(`/playground/payments?after=${all.at(-1)?.id ?? 0}`);
        if (payments.length === 0) return all;
        all.push(...payments.map(outsideRecord));
      }
    },
    feesMsat: async () => feesMsat,
    stop: async () => undefined,
  };
}

function outsideRecord({ id, direction, payment_hash, amount_msat, state }: Json): OutsideRecord & { readonly id: number } {
  return { id, direction, paymentHash: payment_hash, amountMsat: amount_msat, state };
}
