import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { msat } from '../../src/core/kernel/money.ts';
import { paymentHashOf } from '../../src/core/lightning/payment-hash.ts';
import type { Restore } from '../../src/features/restore/restore-object.ts';
import { type HoldInvoice, holdInvoice, TIMING } from '../hold-invoices/harness.ts';
import { type FakeNodeApp, onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { rewindOf } from '../support/rewind.ts';

/** `expired`: held until its deadline. `settling`: the node has settled it, and the lost service has not read that. */
const STATES = ['open', 'expired', 'held', 'settled', 'cancelled', 'returned', 'settling'] as const;

const hold = fc.record({
  state: fc.constantFrom(...STATES),
  /** Whether the backup has the invoice, and whether it also has its state. */
  inBackup: fc.constantFrom('no', 'no', 'open', 'with its state'),
  /** What its wallet does after the restore, if the payment is held. */
  decision: fc.constantFrom('settle', 'cancel'),
});

const SCENARIO = fc.record({
  holds: fc.array(hold, { minLength: 3, maxLength: 8 }),
  /** Whether the recovery log is lost with the database. */
  losesLog: fc.constantFrom(false, false, true),
});

type Scenario = typeof SCENARIO extends fc.Arbitrary<infer T> ? T : never;
type Drawn = Scenario['holds'][number];

const RUNS = Number(process.env.RESTORE_FUZZ ?? 10);
const AMOUNT_MSAT = 5_000;
const isBooked = ({ state }: Drawn) => state === 'settled' || state === 'settling';

async function complete({ client }: FakeNodeApp): Promise<Restore> {
  const read = (): Promise<Restore> => client.get('/v1/operator/restore');
  await vi.waitUntil(async () => (await read()).read_back.status === 'complete', { timeout: 60_000, interval: 20 });
  return read();
}

/** Brings an invoice into its state, as far as the service sees it. */
async function reach(service: FakeNodeApp, { state }: Drawn, one: HoldInvoice): Promise<void> {
  if (state === 'cancelled') return void (await one.cancel());
  if (state === 'open') return;
  await one.pay();
  await one.until('held');
  if (state === 'settled') await one.settle();
  if (state === 'returned') await one.cancel();
  if (state !== 'expired') return;
  await service.execute('UPDATE invoice SET held_until = held_at WHERE id = $1', one.invoice.id);
  await one.until('cancelled');
}

/** The status after the restore, before its wallet decides. */
const STATUS = { open: 'open', expired: 'cancelled', held: 'held', settled: 'settled', cancelled: 'cancelled', returned: 'cancelled' };
const statusOf = ({ state }: Drawn) => (state === 'settling' ? 'settled' : STATUS[state]);

onFakeNode(
  'hold invoices of a database that is destroyed',
  (service) => {
    const { client, net } = service;
    const { save, rewind } = rewindOf(service);

    async function runScenario({ holds, losesLog }: Scenario): Promise<void> {
      const suspenseMsat = await service.suspenseMsat();
      const wallet = await client.wallet();
      const made = new Map<Drawn, HoldInvoice>();
      const make = async (one: Drawn) => {
        made.set(one, await holdInvoice(service, { num_satoshis: AMOUNT_MSAT / 1000, memo: 'tea' }, wallet));
      };
      const of = (one: Drawn) => made.get(one) as HoldInvoice;
      for (const one of holds.filter(({ inBackup }) => inBackup !== 'no')) await make(one);
      await Promise.all(holds.filter(({ inBackup }) => inBackup === 'with its state').map((one) => reach(service, one, of(one))));
      await save();
      const savedMs = Date.now();
      for (const one of holds.filter(({ inBackup }) => inBackup === 'no')) await make(one);
      await Promise.all(holds.filter(({ inBackup }) => inBackup !== 'with its state').map((one) => reach(service, one, of(one))));
      const foreign = await foreignHold();
      // Times are whole seconds: the log begins anew after the one of the backup.
      if (losesLog) await vi.waitUntil(() => Date.now() >= savedMs + 1000, { interval: 20 });
      await rewind(() => {
        for (const one of holds) if (one.state === 'settling') void net.connect().settleHoldInvoice(of(one).preimage);
        if (losesLog) rmSync(join(service.dataDir, 'backups', 'recovery-log'), { recursive: true });
      });
      const { not_recovered: notRecovered } = await complete(service);

      const [lost, kept] = [
        holds.filter(({ inBackup }) => losesLog && inBackup === 'no'),
        holds.filter((one) => !losesLog || one.inBackup !== 'no'),
      ];
      expect(notRecovered.some((text) => text.startsWith('Hold invoices that were created'))).toBe(losesLog);
      for (const one of kept) await of(one).until(statusOf(one));
      await requireUnknown([foreign.hash, ...lost.filter(({ state }) => state === 'held').map((one) => of(one).hash)], notRecovered);
      for (const one of holds) await requireRepeat(of(one), wallet, !losesLog);
      expect(await repeat(wallet, foreign.hash)).toMatchObject({ status: 409, body: { type: 'hold_hash_taken' } });

      for (const one of kept.filter(({ state }) => state === 'held')) {
        expect((await of(one).settle({ preimage: foreign.preimage })).status).toBe(400);
        const ended = one.decision === 'settle' ? await of(one).settle() : await of(one).cancel();
        expect(ended.body).toMatchObject({ status: one.decision === 'settle' ? 'settled' : 'cancelled' });
      }
      for (const { hash, preimage } of [foreign, ...lost.filter(({ state }) => state === 'held').map(of)])
        await client.post(`${await path()}/${hash}/settle`, { preimage, reason: 'a test' });
      const arrivesAtWallet = (one: Drawn) => isBooked(one) || (one.state === 'held' && one.decision === 'settle');
      const expectedMsat = AMOUNT_MSAT * kept.filter(arrivesAtWallet).length;
      const withoutWallet = AMOUNT_MSAT * (1 + lost.filter((one) => isBooked(one) || one.state === 'held').length);
      await expect.poll(() => service.suspenseMsat(), { timeout: 20_000 }).toBe(suspenseMsat + withoutWallet);
      expect((await client.get(`/v1/wallet/${wallet.id}`)).balance_msat).toBe(expectedMsat);
      expect(await service.problems()).toEqual([]);
    }

    const path = async () => `/v1/operator/nodes/${(await client.get('/v1/operator/overview')).nodes[0].id}/unknown-holds`;
    const repeat = ({ id }: TestWallet, hash: string, fields: object = {}) =>
      client.request('POST', `/v1/wallet/${id}/invoice`, {
        key: client.secretKey,
        json: { num_satoshis: AMOUNT_MSAT / 1000, memo: 'tea', hold_hash: hash, ...fields },
      });

    /** Another program has a held payment at the node. */
    async function foreignHold() {
      const preimage = randomBytes(32).toString('hex');
      const order = { paymentHash: paymentHashOf(preimage), amountMsat: msat(AMOUNT_MSAT), description: 'tea', expirySeconds: 86_400 };
      await net.outside.pay(await net.connect().createHoldInvoice(order));
      return { preimage, hash: order.paymentHash };
    }

    /** What operators are told of is exactly what no wallet can decide about. */
    async function requireUnknown(hashes: readonly string[], notRecovered: readonly string[]): Promise<void> {
      expect((await client.get(await path())).map(({ id }: Json) => id).toSorted()).toEqual(hashes.toSorted());
      const named = notRecovered.filter((text) => text.includes('satchel held list'));
      expect(named).toEqual([expect.stringContaining(` held ${hashes.length} payment`)]);
    }

    /** A request that repeats the creation gets the invoice if the recovery log has it, and no other request does. */
    async function requireRepeat({ hash, invoice }: HoldInvoice, wallet: TestWallet, isAdopted: boolean): Promise<void> {
      const taken = { status: 409, body: { type: 'hold_hash_taken' } };
      expect(await repeat(wallet, hash, { memo: 'other' })).toMatchObject(taken);
      expect(await repeat(wallet, hash)).toMatchObject(isAdopted ? { status: 201, body: { id: invoice.id } } : taken);
    }

    it('are exact as far as the backup and the recovery log go, and the rest is named', { timeout: 300_000 }, async () => {
      await fc.assert(fc.asyncProperty(SCENARIO, runScenario), { numRuns: RUNS, seed: 82, endOnFailure: true });
    });
  },
  {},
  { ...TIMING, readBackMs: 20, resumeMs: 50 },
);
