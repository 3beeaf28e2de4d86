import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { msat } from '../../src/kernel/money.ts';
import { decodeBolt11 } from '../../src/lightning/bolt11/bolt11.ts';
import {
  HistoryChanged,
  type IncomingPayment,
  type KeysendOrder,
  type LightningNode,
  type NodeEvent,
  NodeUnavailable,
  type PaymentOrder,
  type PaymentOutcome,
  type Position,
} from '../../src/lightning/node.ts';
import type { PlaygroundControl } from '../../src/lightning/test-network.ts';
import { DEADLINE_MS } from '../devnet/playground/support/open.ts';
import { nodeInvoice } from '../support/node-invoice.ts';

/** A node to hold to the contract, and the outside around it. */
export interface Subject {
  readonly node: LightningNode;
  readonly control: PlaygroundControl;
}

/** Opens what the last one closed: the same node, in another life. */
export interface Lives {
  open(): Promise<Subject>;
}

/**
 * What every adapter must do, whatever node is behind it: the words of the port, as tests. `lives` gives the node in its first life and, after
 * `node.close()`, in the next.
 */
export function nodeContract(name: string, lives: Lives): void {
  describe(`${name} keeps the port's contract`, () => {
    /** One life for most of it: opening a real node takes a second. */
    let shared: Promise<Subject> | undefined;
    const subject = (): Promise<Subject> => (shared ??= lives.open());

    async function reopened(): Promise<Subject> {
      await (await subject()).node.close();
      shared = undefined;
      return subject();
    }

    describe('itself', () => {
      it('has a key, which signs its invoices, and a network', async () => {
        const { node } = await subject();
        const { pubkey, network } = await node.info();
        const { paymentRequest } = await nodeInvoice(node, { amountMsat: msat(1_000), description: 'tea', expirySeconds: 60 });
        expect(decodeBolt11(paymentRequest)).toMatchObject({ payee: pubkey, network });
      });

      it('belongs to the first ledger that claims it, also after a restart, until another takes over from that one', async () => {
        const { node } = await subject();
        expect(await node.claimForLedger?.('lnd_one', undefined)).toBe('lnd_one');
        expect(await node.claimForLedger?.('lnd_one', undefined)).toBe('lnd_one');
        expect(await node.claimForLedger?.('lnd_two', undefined)).toBe('lnd_one');
        expect(await node.claimForLedger?.('lnd_two', 'lnd_three')).toBe('lnd_one');
        const { node: again } = await reopened();
        expect(await again.claimForLedger?.('lnd_two', undefined)).toBe('lnd_one');
        expect(await again.claimForLedger?.('lnd_two', 'lnd_one')).toBe('lnd_two');
        expect(await again.claimForLedger?.('lnd_one', undefined)).toBe('lnd_two');
      });

      it('knows after a restart what it was, what it has and what it was told', async () => {
        const { node } = await subject();
        const [info, balance] = [await node.info(), await node.balance()];
        const { node: again } = await reopened();
        expect(await again.info()).toEqual(info);
        expect(await again.balance()).toEqual(balance);
      });

      it('is unavailable once it is closed, and closing twice is fine', async () => {
        const { node } = await subject();
        await reopened();
        await node.close();
        await expect(nodeInvoice(node, { description: '', expirySeconds: 60 })).rejects.toThrow(NodeUnavailable);
        await expect(node.pay(await orderFor(await subject()))).rejects.toThrow(NodeUnavailable);
      });
    });

    describe('paying', () => {
      it('gives a preimage that proves it, and says the same for ever', async () => {
        const { node, control } = await subject();
        const order = await orderFor({ control });
        const outcome = await ended(node, order.paymentId, await node.pay(order));
        if (outcome.state !== 'succeeded') throw new Error(outcome.state);
        expect(sha256(outcome.preimage)).toBe(order.paymentHash);
        const before = await node.balance();
        expect(await Promise.all([node.pay(order), node.pay(order)])).toEqual([outcome, outcome]);
        expect(await node.lookupPayment(order)).toEqual(outcome);
        const { node: again } = await reopened();
        expect(await again.pay(order)).toEqual(outcome);
        expect(await again.lookupPayment(order)).toEqual(outcome);
        expect(await again.balance()).toEqual(before);
      });

      it('sends once when it is asked twice at the same time', async () => {
        const { node, control } = await subject();
        const order = await orderFor({ control });
        const before = await node.balance();
        const [one, other] = await Promise.all([node.pay(order), node.pay(order)]);
        expect(await ended(node, order.paymentId, other)).toEqual(await ended(node, order.paymentId, one));
        expect(before.localMsat - (await node.balance()).localMsat).toBe(order.amountMsat);
      });

      it('takes what it says out of the balance, to the millisatoshi', async () => {
        const { node, control } = await subject();
        const order = await orderFor({ control }, { at: 'carol', amountMsat: 777_777, feeLimitMsat: 5_000 });
        const before = await node.balance();
        const outcome = await ended(node, order.paymentId, await node.pay(order));
        if (outcome.state !== 'succeeded') throw new Error(outcome.state);
        expect(outcome.feeMsat).toBeGreaterThan(0);
        expect(before.localMsat - (await node.balance()).localMsat).toBe(777_777 + outcome.feeMsat);
        expect(await received(control, order.paymentHash)).toMatchObject({ state: 'succeeded', amountMsat: 777_777 });
      });

      it('never pays a fee above the limit, and a limit of zero means zero', async () => {
        const { node, control } = await subject();
        const free = await orderFor({ control }, { at: 'alice', feeLimitMsat: 0 });
        expect(await ended(node, free.paymentId, await node.pay(free))).toMatchObject({ state: 'succeeded', feeMsat: 0 });
        const costly = await orderFor({ control }, { at: 'carol', feeLimitMsat: 0 });
        const before = await node.balance();
        const failed = { state: 'failed', reason: 'NO_ROUTE' };
        expect(await ended(node, costly.paymentId, await node.pay(costly))).toEqual(failed);
        // Definitive: also when it could succeed now, and in another life.
        expect(await node.pay({ ...costly, feeLimitMsat: msat(99_999) })).toEqual(failed);
        const { node: again, control: outside } = await reopened();
        expect(await again.pay({ ...costly, feeLimitMsat: msat(99_999) })).toEqual(failed);
        expect(await again.balance()).toEqual(before);
        expect(await received(outside, costly.paymentHash)).toBeUndefined();
      });

      it('pays an exact fee limit', async () => {
        const { node, control } = await subject();
        const probe = await orderFor({ control }, { at: 'carol', feeLimitMsat: 50_000 });
        const known = await ended(node, probe.paymentId, await node.pay(probe));
        if (known.state !== 'succeeded') throw new Error(known.state);
        const exact = await orderFor({ control }, { at: 'carol', feeLimitMsat: known.feeMsat });
        expect(await ended(node, exact.paymentId, await node.pay(exact))).toMatchObject({ state: 'succeeded', feeMsat: known.feeMsat });
        const less = await orderFor({ control }, { at: 'carol', feeLimitMsat: known.feeMsat - 1 });
        expect(await ended(node, less.paymentId, await node.pay(less))).toEqual({ state: 'failed', reason: 'NO_ROUTE' });
      });

      it('does not pay a hash again under another id, paid or in flight', async () => {
        const { node, control } = await subject();
        const paid = await orderFor({ control });
        await ended(node, paid.paymentId, await node.pay(paid));
        const held = await orderFor({ control }, { hold: true });
        await node.pay(held);
        const before = await node.balance();
        for (const order of [paid, held]) {
          const again = { ...order, paymentId: crypto.randomUUID() };
          expect(await ended(node, again.paymentId, await node.pay(again))).toMatchObject({ state: 'failed' });
        }
        expect(await node.balance()).toEqual(before);
        expect(await node.lookupPayment(held)).toEqual({ state: 'pending' });
        await control.resolveHold(held.paymentHash, 'cancel');
      });

      it('tries a hash again under another id when the first one failed', async () => {
        const { node, control } = await subject();
        const order = await orderFor({ control }, { at: 'carol', feeLimitMsat: 0 });
        expect(await ended(node, order.paymentId, await node.pay(order))).toMatchObject({ state: 'failed' });
        const second = { ...order, paymentId: crypto.randomUUID(), feeLimitMsat: msat(50_000) };
        expect(await ended(node, second.paymentId, await node.pay(second))).toMatchObject({ state: 'succeeded' });
        expect(await node.lookupPayment(order)).toMatchObject({ state: 'failed' });
      });

      it('pays the amount that the order says where the invoice leaves it open, and no other amount than a stated one', async () => {
        const { node, control } = await subject();
        const open = await orderFor({ control }, { amountMsat: 4_321, amountless: true });
        expect(await ended(node, open.paymentId, await node.pay(open))).toMatchObject({ state: 'succeeded' });
        expect(await received(control, open.paymentHash)).toMatchObject({ amountMsat: 4_321 });
        const stated = await orderFor({ control });
        await expect(node.pay({ ...stated, amountMsat: msat(stated.amountMsat + 1) })).rejects.toThrow();
        await expect(node.pay({ ...stated, paymentHash: '22'.repeat(32) })).rejects.toThrow();
        expect(await node.lookupPayment(stated)).toBeUndefined();
      });

      it('fails for good where there is nothing to pay: no route, not enough, no invoice', async () => {
        const { node, control } = await subject();
        const { localMsat } = await node.balance();
        const tooMuch = await orderFor({ control }, { amountMsat: localMsat + 1 });
        expect(await ended(node, tooMuch.paymentId, await node.pay(tooMuch))).toEqual({ state: 'failed', reason: 'INSUFFICIENT_BALANCE' });
        const nonsense = { ...(await orderFor({ control })), paymentRequest: 'lnbcrt1nonsense' };
        expect(await node.pay(nonsense)).toEqual({ state: 'failed', reason: 'ERROR' });
        expect(await node.balance()).toEqual({ localMsat });
      });

      it('never pays an expired invoice', async () => {
        const { node, control } = await subject();
        const order = await orderFor({ control }, { expirySeconds: 0 });
        const { expiresAt } = decodeBolt11(order.paymentRequest);
        await clockIsPast(expiresAt + 1);
        expect(await node.pay(order)).toEqual({ state: 'failed', reason: 'TIMEOUT' });
        expect(await received(control, order.paymentHash)).toBeUndefined();
      });

      it('has never heard of an id that was never used', async () => {
        const { node } = await subject();
        expect(await node.lookupPayment({ paymentId: crypto.randomUUID(), paymentHash: '00'.repeat(32) })).toBeUndefined();
      });
    });

    describe('a route', () => {
      it('adds up, hop by hop, and leads where it was asked to; to nobody, or for too much, there is none', async () => {
        const { node, control } = await subject();
        if (!node.queryRoutes) return;
        const { nodes, unreachablePubkey } = await control.describe();
        const pubkeyOf = (name: string) => nodes.find((one) => one.name === name)?.pubkey as string;
        const amountMsat = msat(123_456);
        const before = await node.balance();
        for (const [name, hopCount] of [
          ['alice', 1],
          ['carol', 2],
        ] as const) {
          const [route] = await node.queryRoutes({ destination: pubkeyOf(name), amountMsat });
          if (!route) throw new Error(`no route to ${name}`);
          expect(route.hops).toHaveLength(hopCount);
          expect(route.hops.at(-1)).toMatchObject({ pubkey: pubkeyOf(name), forwardMsat: amountMsat, feeMsat: 0 });
          expect(route.hops.reduce((sum, hop) => sum + hop.feeMsat, 0)).toBe(route.feesMsat);
          expect(route.totalMsat).toBe(amountMsat + route.feesMsat);
          expect(route.feesMsat > 0).toBe(hopCount > 1);
          expect((route.hops[0]?.forwardMsat ?? 0) + (route.hops[0]?.feeMsat ?? 0)).toBe(route.totalMsat);
          expect(route.hops.every((hop) => hop.expiryHeight > 0 && hop.expiryHeight <= route.timeLock)).toBe(true);
          expect(route.hops.every((hop) => /^[1-9][0-9]*$/.test(hop.shortChannelId))).toBe(true);
        }
        expect(await node.queryRoutes({ destination: unreachablePubkey, amountMsat })).toEqual([]);
        expect(await node.queryRoutes({ destination: pubkeyOf('alice'), amountMsat: msat(2 ** 52) })).toEqual([]);
        expect(await node.balance()).toEqual(before);
      });
    });

    describe('a held payment', () => {
      it('stays pending over a restart, then succeeds, and its money is ours until then', async () => {
        const { node, control } = await subject();
        const order = await orderFor({ control }, { at: 'carol', hold: true, feeLimitMsat: 50_000 });
        const before = await node.balance();
        expect(await node.pay(order)).toEqual({ state: 'pending' });
        const { node: again, control: outside } = await reopened();
        expect(await again.balance()).toEqual(before);
        expect(await again.pay(order)).toEqual({ state: 'pending' });
        await outside.resolveHold(order.paymentHash, 'settle');
        const outcome = await ended(again, order.paymentId, { state: 'pending' });
        if (outcome.state !== 'succeeded') throw new Error(outcome.state);
        expect(before.localMsat - (await again.balance()).localMsat).toBe(order.amountMsat + outcome.feeMsat);
      });

      it('that its receiver cancels comes back whole', async () => {
        const { node, control } = await subject();
        const before = await node.balance();
        const order = await orderFor({ control }, { hold: true });
        await node.pay(order);
        await control.resolveHold(order.paymentHash, 'cancel');
        expect(await ended(node, order.paymentId, { state: 'pending' })).toEqual({
          state: 'failed',
          reason: 'INCORRECT_PAYMENT_DETAILS',
        });
        expect(await node.balance()).toEqual(before);
      });
    });

    describe('a keysend', () => {
      it('arrives, once per id', async () => {
        const { node, control } = await subject();
        const order = await keysendFor({ control }, 'alice');
        const outcome = await ended(node, order.paymentId, await node.keysend(order));
        expect(outcome).toEqual({ state: 'succeeded', preimage: order.preimage, feeMsat: 0 });
        const before = await node.balance();
        expect(await node.keysend(order)).toEqual(outcome);
        expect(await node.balance()).toEqual(before);
        expect(await received(control, order.paymentHash)).toMatchObject({ state: 'succeeded', amountMsat: order.amountMsat });
      });

      it('to a node that nobody has finds no route, and a preimage that does not fit is refused', async () => {
        const { node, control } = await subject();
        const { unreachablePubkey } = await control.describe();
        const order = { ...(await keysendFor({ control }, 'alice')), destination: unreachablePubkey };
        expect(await ended(node, order.paymentId, await node.keysend(order))).toEqual({ state: 'failed', reason: 'NO_ROUTE' });
        const wrong = { ...(await keysendFor({ control }, 'alice')), preimage: '33'.repeat(32) };
        await expect(node.keysend(wrong)).rejects.toThrow();
      });

      it('that comes in brings its preimage and its records', async () => {
        const { node, control } = await subject();
        node.guardIncoming(async () => 'claim');
        const customRecords = { '696969': '77616c6c6574', '7629169': 'ff' };
        const sent = await control.keysend({ from: 'carol', amountMsat: msat(12_345), customRecords });
        const event = await settlementOf(node, sent.paymentHash);
        expect(event).toMatchObject({ keysend: true, amountMsat: 12_345, customRecords });
        expect(sha256(event.preimage)).toBe(sent.paymentHash);
        expect(await node.lookupInvoice(sent.paymentHash)).toMatchObject({ state: 'settled', amountMsat: 12_345 });
      });
    });

    describe('an invoice', () => {
      it('says what it was asked to say', async () => {
        const { node } = await subject();
        const one = await nodeInvoice(node, { amountMsat: msat(2_001), description: 'Kaffee ☕', expirySeconds: 1234 });
        expect(decodeBolt11(one.paymentRequest)).toMatchObject({
          paymentHash: one.paymentHash,
          amountMsat: 2_001,
          description: 'Kaffee ☕',
          expirySeconds: 1234,
        });
        expect(one.paymentRequest).toBe(one.paymentRequest.toLowerCase());
        expect(sha256(one.preimage)).toBe(one.paymentHash);
        const descriptionHash = sha256('00');
        const other = await nodeInvoice(node, { description: '', descriptionHash, expirySeconds: 60 });
        const decoded = decodeBolt11(other.paymentRequest);
        expect(decoded).toMatchObject({ descriptionHash });
        expect(decoded.amountMsat).toBeUndefined();
      });

      it('that is paid is credited with what arrived, and stays settled over a restart', async () => {
        const { node, control } = await subject();
        node.guardIncoming(async () => 'claim');
        const before = await node.balance();
        const { paymentRequest, paymentHash, preimage } = await nodeInvoice(node, { description: '', expirySeconds: 60 });
        expect(await node.lookupInvoice(paymentHash)).toEqual({ state: 'open' });
        expect(await control.payInvoice({ paymentRequest, from: 'alice', amountMsat: msat(2_345) })).toMatchObject({ state: 'succeeded' });
        expect(await settlementOf(node, paymentHash)).toMatchObject({ amountMsat: 2_345, preimage, keysend: false });
        const { node: again } = await reopened();
        expect(await again.lookupInvoice(paymentHash)).toEqual({ state: 'settled', amountMsat: 2_345, preimage });
        expect(await again.cancelInvoice(paymentHash)).toBe('settled');
        expect((await again.balance()).localMsat - before.localMsat).toBe(2_345);
      });

      it('that is not ours is unknown', async () => {
        const { node } = await subject();
        expect(await node.cancelInvoice('00'.repeat(32))).toBe('unknown');
        expect(await node.lookupInvoice('00'.repeat(32))).toBeUndefined();
      });

      it('that is cancelled can never be paid, also in another life', async () => {
        const { node } = await subject();
        const { paymentRequest, paymentHash } = await nodeInvoice(node, { amountMsat: msat(9), description: '', expirySeconds: 600 });
        expect(await node.cancelInvoice(paymentHash)).toBe('cancelled');
        expect(await node.cancelInvoice(paymentHash)).toBe('cancelled');
        const { node: again, control } = await reopened();
        again.guardIncoming(async () => 'claim');
        expect(await again.lookupInvoice(paymentHash)).toEqual({ state: 'cancelled' });
        expect(await control.payInvoice({ paymentRequest, from: 'alice' })).toMatchObject({ state: 'failed' });
      });
    });

    describe('the guard', () => {
      it('sees what arrives, and what it refuses goes back and may come again', async () => {
        const { node, control } = await subject();
        const seen: IncomingPayment[] = [];
        node.guardIncoming(async (incoming) => (seen.push(incoming) === 1 ? 'refuse' : 'claim'));
        const { paymentRequest, paymentHash } = await nodeInvoice(node, { amountMsat: msat(5_000), description: '', expirySeconds: 60 });
        const before = await node.balance();
        expect(await control.payInvoice({ paymentRequest, from: 'alice' })).toMatchObject({ state: 'failed' });
        expect(await node.balance()).toEqual(before);
        expect(await control.payInvoice({ paymentRequest, from: 'alice' })).toMatchObject({ state: 'succeeded' });
        expect(seen).toHaveLength(2);
        expect(seen[0]).toEqual({ paymentHash, amountMsat: 5_000, keysend: false, customRecords: {} });
      });

      it('that fails is asked again', async () => {
        const { node, control } = await subject();
        let asked = 0;
        node.guardIncoming(async () => {
          if (asked++ === 0) throw new Error('the database is away');
          return 'claim';
        });
        const { paymentRequest } = await nodeInvoice(node, { amountMsat: msat(5_000), description: '', expirySeconds: 60 });
        expect(await control.payInvoice({ paymentRequest, from: 'alice' })).toMatchObject({ state: 'succeeded' });
        expect(asked).toBe(2);
      });

      it('loses against a cancellation that comes before its answer', async () => {
        const { node, control } = await subject();
        const { asked, answer } = undecided(node);
        const { paymentRequest, paymentHash } = await nodeInvoice(node, { amountMsat: msat(5_000), description: '', expirySeconds: 60 });
        const paying = control.payInvoice({ paymentRequest, from: 'carol' });
        await asked;
        expect(await node.cancelInvoice(paymentHash)).toBe('cancelled');
        answer('claim');
        expect(await paying).toMatchObject({ state: 'failed' });
        expect(await node.lookupInvoice(paymentHash)).toEqual({ state: 'cancelled' });
      });

      it('never has an invoice both cancelled and claimed, whoever is first', async () => {
        const { node, control } = await subject();
        const { asked, answer } = undecided(node);
        const { paymentRequest, paymentHash } = await nodeInvoice(node, { amountMsat: msat(5_000), description: '', expirySeconds: 60 });
        const paying = control.payInvoice({ paymentRequest, from: 'alice' });
        await asked;
        answer('claim');
        await Promise.resolve();
        const outcome = await node.cancelInvoice(paymentHash);
        const claimed = (await paying).state === 'succeeded';
        expect(['cancelled', 'accepted', 'settled']).toContain(outcome);
        expect(claimed).toBe(outcome !== 'cancelled');
      });

      it('is waited for: without one, what arrives is not claimed', async () => {
        const { node, control } = await reopened();
        const { paymentRequest, paymentHash } = await nodeInvoice(node, { amountMsat: msat(5_000), description: '', expirySeconds: 60 });
        const before = await node.balance();
        const paying = control.payInvoice({ paymentRequest, from: 'alice' });
        await untilSent(control, paymentHash);
        expect(await node.lookupInvoice(paymentHash)).toEqual({ state: 'open' });
        expect(await node.balance()).toEqual(before);
        node.guardIncoming(async () => 'claim');
        expect(await settlementOf(node, paymentHash)).toMatchObject({ amountMsat: 5_000 });
        await paying;
      });

      it('is asked in the next life about what still waits', async () => {
        const { node, control } = await subject();
        const { asked } = undecided(node);
        const { paymentRequest, paymentHash } = await nodeInvoice(node, { amountMsat: msat(5_000), description: '', expirySeconds: 60 });
        const paying = control.payInvoice({ paymentRequest, from: 'alice' }).catch(() => undefined);
        await asked;
        const { node: again } = await reopened();
        await paying;
        again.guardIncoming(async () => 'claim');
        expect(await settlementOf(again, paymentHash)).toMatchObject({ amountMsat: 5_000 });
      });
    });

    describe('watching', () => {
      it('tells every end, in order, and resumes after any position without skipping', async () => {
        const { node, control } = await subject();
        const ids: string[] = [];
        for (const feeLimitMsat of [0, 50_000, 0, 50_000]) {
          const order = await orderFor({ control }, { at: 'carol', feeLimitMsat });
          await ended(node, order.paymentId, await node.pay(order));
          ids.push(order.paymentId);
        }
        const all = await eventsUntil(node, ids.at(-1) as string);
        const positions = all.map((event) => event.position);
        expect(new Set(positions).size).toBe(positions.length);
        expect(all.filter((event) => event.type === 'payment' && ids.includes(event.paymentId))).toHaveLength(4);
        const { node: again } = await reopened();
        const from = all.at(-3) as NodeEvent;
        expect(await eventsUntil(again, ids.at(-1) as string, from.position)).toEqual(all.slice(-2));
      });

      it('knows the position of each of its events, also after a restart, and rejects any other', async () => {
        const { node, control } = await subject();
        const order = await orderFor({ control });
        await ended(node, order.paymentId, await node.pay(order));
        const position = (await eventsUntil(node, order.paymentId)).at(-1)?.position ?? '';
        const { node: again } = await reopened();
        expect(await again.knowsPosition(position)).toBe(true);
        for (const other of [`${position}0`, position.replace(/-.*/, '-00'), `9${position}`, 'nonsense']) {
          expect([other, await again.knowsPosition(other)]).toEqual([other, false]);
          const watching = again.watch(other, AbortSignal.timeout(DEADLINE_MS))[Symbol.asyncIterator]();
          await expect(watching.next()).rejects.toThrow(HistoryChanged);
        }
      });

      it('tells what happens while it waits, and ends with its signal', async () => {
        const { node, control } = await subject();
        const abort = new AbortController();
        const order = await orderFor({ control });
        const watching = (async () => {
          for await (const event of node.watch(undefined, abort.signal)) {
            if (event.type === 'payment' && event.paymentId === order.paymentId) abort.abort();
          }
        })();
        await node.pay(order);
        await watching;
      });

      it('ends when the node is closed', async () => {
        const { node } = await subject();
        const watching = (async () => {
          for await (const _ of node.watch(undefined, new AbortController().signal));
        })();
        await reopened();
        await watching;
      });
    });
  });
}

interface OrderOptions {
  readonly at?: 'alice' | 'carol';
  readonly amountMsat?: number;
  readonly feeLimitMsat?: number;
  readonly hold?: boolean;
  readonly amountless?: boolean;
  readonly expirySeconds?: number;
}

/** An order for a new invoice of an outside node. */
async function orderFor({ control }: Pick<Subject, 'control'>, options: OrderOptions = {}): Promise<PaymentOrder> {
  const { at = 'alice', hold = false, feeLimitMsat = 0, expirySeconds = 600 } = options;
  const amountMsat = msat(options.amountMsat ?? 1_000_000);
  const stated = options.amountless ? {} : { amountMsat };
  const invoice = await control.createInvoice({ ...stated, memo: 'tea', at, expirySeconds, hold });
  return { paymentId: crypto.randomUUID(), ...invoice, amountMsat, feeLimitMsat: msat(feeLimitMsat) };
}

async function keysendFor({ control }: Pick<Subject, 'control'>, to: string): Promise<KeysendOrder> {
  const { nodes } = await control.describe();
  const preimage = randomBytes(32).toString('hex');
  return {
    paymentId: crypto.randomUUID(),
    destination: nodes.find((node) => node.name === to)?.pubkey as string,
    amountMsat: msat(3_000),
    feeLimitMsat: msat(5_000),
    preimage,
    paymentHash: sha256(preimage),
    customRecords: { '696969': '00' },
  };
}

/** The outcome itself, or the one that comes as an event: an adapter may answer before it knows. */
async function ended(node: LightningNode, paymentId: string, answered: PaymentOutcome): Promise<PaymentOutcome> {
  if (answered.state !== 'pending') return answered;
  const last = (await eventsUntil(node, paymentId)).at(-1);
  return last?.type === 'payment' ? last.outcome : answered;
}

/** The events after `position` up to the end of a payment. */
async function eventsUntil(node: LightningNode, paymentId: string, position?: Position): Promise<NodeEvent[]> {
  const events: NodeEvent[] = [];
  for await (const event of node.watch(position, AbortSignal.timeout(DEADLINE_MS))) {
    events.push(event);
    if (event.type === 'payment' && event.paymentId === paymentId) return events;
  }
  throw new Error('the event did not come');
}

async function settlementOf(node: LightningNode, paymentHash: string) {
  for await (const event of node.watch(undefined, AbortSignal.timeout(DEADLINE_MS))) {
    if (event.type === 'settlement' && event.paymentHash === paymentHash) return event;
  }
  throw new Error('the settlement did not come');
}

/** Expiry is a matter of whole seconds of the real clock. */
async function clockIsPast(unixSeconds: number): Promise<void> {
  while (Date.now() < unixSeconds * 1000) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Until an outside payment has set out for us. */
async function untilSent(control: PlaygroundControl, paymentHash: string): Promise<void> {
  for (let sent = false; !sent; ) {
    sent = (await control.payments(0, 1_000)).some((payment) => payment.direction === 'sent' && payment.paymentHash === paymentHash);
  }
}

/** A guard that waits for the test. */
function undecided(node: LightningNode) {
  const asked = Promise.withResolvers<void>();
  const decision = Promise.withResolvers<'claim' | 'refuse'>();
  node.guardIncoming(() => {
    asked.resolve();
    return decision.promise;
  });
  return { asked: asked.promise, answer: decision.resolve };
}

async function received(control: PlaygroundControl, paymentHash: string) {
  const payments = await control.payments(0, 1_000);
  return payments.find((payment) => payment.direction === 'received' && payment.paymentHash === paymentHash);
}

function sha256(hex: string): string {
  return createHash('sha256').update(Buffer.from(hex, 'hex')).digest('hex');
}
