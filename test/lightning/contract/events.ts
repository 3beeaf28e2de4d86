import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { msat } from '../../../src/core/kernel/money.ts';
import { HistoryChanged, type LightningNode, type NodeEvent } from '../../../src/core/lightning/node.ts';
import { nodeInvoice } from '../../support/node-invoice.ts';
import {
  DEADLINE_MS,
  endOf,
  eventsUntil,
  isEndOf,
  isSettlementOf,
  orderFor,
  payToEnd,
  type SharedSubject,
  type Subject,
} from './subject.ts';

/** Creates an invoice that alice pays, and returns its payment hash. */
async function receive({ node, control }: Subject): Promise<string> {
  const { paymentRequest, paymentHash } = await nodeInvoice(node, { amountMsat: msat(1_000), description: '', expirySeconds: 600 });
  await control.payInvoice({ paymentRequest, from: 'alice' });
  return paymentHash;
}

/** Returns all events up to that of a payment hash. */
function eventsUpTo(node: LightningNode, paymentHash: string, position?: string): Promise<NodeEvent[]> {
  return eventsUntil(node, isSettlementOf(paymentHash), position);
}

export function eventContract({ subject, reopened }: SharedSubject): void {
  describe('the events', () => {
    it('contain every settlement in order, with different positions, and resume after any position', async () => {
      const { node, control } = await subject();
      node.guardIncoming(async () => 'claim');
      const hashes: string[] = [];
      for (let i = 0; i < 4; i++) hashes.push(await receive({ node, control }));
      const last = hashes.at(-1) ?? '';
      const all = await eventsUpTo(node, last);
      expect(new Set(all.map((event) => event.position)).size).toBe(all.length);
      const settled = all.flatMap((event) => (event.type === 'settlement' ? [event.paymentHash] : []));
      expect(settled.slice(-4)).toEqual(hashes);
      const { node: again } = await reopened();
      for (const back of [2, 3, 4]) {
        expect(await eventsUpTo(again, last, all.at(-back)?.position)).toEqual(all.slice(1 - back));
      }
    });

    it('contain every end of a payment, or the hash of the payment is streamed as a hint', async () => {
      const { node, control } = await subject();
      const orders = await Promise.all([0, 50_000, 0, 50_000].map((feeLimitMsat) => orderFor({ control }, { at: 'carol', feeLimitMsat })));
      const hints = new Set<string>();
      const abort = new AbortController();
      const watching = (async () => {
        for await (const paymentHash of node.watchPayments?.(abort.signal) ?? []) hints.add(paymentHash);
      })();
      // A stream of hints may begin a moment after it was opened.
      if (node.watchPayments) await new Promise((resolve) => setTimeout(resolve, 1000));
      const sent: string[] = [];
      for (const order of orders) {
        const outcome = await payToEnd(node, order);
        if (outcome?.state === 'succeeded') sent.push(order.paymentHash);
      }
      // A node may have no hint for a payment of which it has sent nothing.
      if (node.watchPayments) await expect.poll(() => sent.every((paymentHash) => hints.has(paymentHash))).toBe(true);
      else {
        const all = await eventsUntil(node, isEndOf(orders.at(-1)?.paymentId ?? ''));
        expect(all.filter((event) => orders.some(({ paymentId }) => isEndOf(paymentId)(event)))).toHaveLength(4);
      }
      abort.abort();
      await watching;
    });

    it('have positions that the node knows, also after a restart; it rejects all others', async () => {
      const { node, control } = await subject();
      node.guardIncoming(async () => 'claim');
      await receive({ node, control });
      const paymentHash = await receive({ node, control });
      const position = (await eventsUpTo(node, paymentHash)).at(-1)?.position ?? '';
      const { node: again } = await reopened();
      expect(await again.knowsPosition(position)).toBe(true);
      const others = [`${position}0`, position.replace(/[-:].*/, '-00'), `9${position}`, 'nonsense'];
      // The next number, with a proof that the node has never given.
      const [, number = '', separator = ''] = /^(\d+)([-:])/.exec(position) ?? [];
      if (number) others.push(`${Number(number) + 1}${position.slice(number.length)}`);
      if (separator === ':') others.push(`${number}:${randomBytes(32).toString('hex')}`);
      for (const other of others) {
        expect([other, await again.knowsPosition(other)]).toEqual([other, false]);
        const watching = again.watch(other, AbortSignal.timeout(DEADLINE_MS))[Symbol.asyncIterator]();
        await expect(watching.next()).rejects.toThrow(HistoryChanged);
      }
    });

    it('arrive while the service waits, and end with its signal', async () => {
      const { node, control } = await subject();
      node.guardIncoming(async () => 'claim');
      const position = (await eventsUpTo(node, await receive({ node, control }))).at(-1)?.position;
      const abort = new AbortController();
      const seen: NodeEvent[] = [];
      const watching = (async () => {
        for await (const event of node.watch(position, abort.signal)) {
          seen.push(event);
          abort.abort();
        }
      })();
      const paymentHash = await receive({ node, control });
      await watching;
      expect(seen).toEqual([expect.objectContaining({ paymentHash })]);
    });

    it('end when the node is closed', async () => {
      const { node } = await subject();
      const watching = (async () => {
        for await (const _ of node.watch(undefined, new AbortController().signal));
      })();
      await reopened();
      await watching;
    });

    it('contain the end of a payment that is being watched', async ({ skip }) => {
      const { node, control } = await subject();
      if (node.watchPayments) return skip('this node does not report payments with a position');
      const order = await orderFor({ control });
      const watching = eventsUntil(node, isEndOf(order.paymentId));
      await endOf(node, order, await node.pay(order));
      expect((await watching).at(-1)).toMatchObject({ paymentId: order.paymentId });
    });
  });
}
