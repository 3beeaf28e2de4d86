import { describe, expect, it } from 'vitest';
import { msat } from '../../../src/core/kernel/money.ts';
import type { LightningNode, SentPayment, Settlement } from '../../../src/core/lightning/node.ts';
import type { RecordPage } from '../../../src/core/lightning/record-page.ts';
import { nodeInvoice } from '../../support/node-invoice.ts';
import { endOf, keysendFor, orderFor, paySuccessfully, payToEnd, type SharedSubject, settlementOf } from './subject.ts';

/** Reads all records since a time in small pages. */
async function readAll<T>(read: (cursor: string | undefined) => Promise<RecordPage<T>>): Promise<T[]> {
  const records: T[] = [];
  for (let cursor: string | undefined; ; ) {
    const page: RecordPage<T> = await read(cursor);
    records.push(...page.records);
    if (page.next === undefined) return records;
    cursor = page.next;
  }
}

function sentPayments(node: LightningNode, sinceSeconds = 0, limit = 2): Promise<SentPayment[]> {
  return readAll((cursor) => node.readSentPayments({ sinceSeconds, cursor, limit }));
}

function settlements(node: LightningNode, sinceSeconds = 0, limit = 2): Promise<Settlement[]> {
  return readAll((cursor) => node.readSettlements({ sinceSeconds, cursor, limit }));
}

export function recordContract({ subject, reopened }: SharedSubject): void {
  describe('the records of a node', () => {
    it('return each payment once with its marker and its outcome, also after a restart', async () => {
      const { node, control } = await subject();
      const paid = await orderFor({ control }, { at: 'carol', amountMsat: 654_321, feeLimitMsat: 50_000 });
      const failed = await orderFor({ control }, { at: 'carol', feeLimitMsat: 0 });
      const held = await orderFor({ control }, { hold: true });
      const outcome = await paySuccessfully(node, paid);
      await payToEnd(node, failed);
      await node.pay(held);
      const { node: again, control: outside } = await reopened();
      const records = await sentPayments(again);
      const recordOf = ({ marker }: { readonly marker: string }) => records.filter((record) => record.marker === marker);
      const { paymentHash, paymentRequest, amountMsat } = paid;
      expect(recordOf(paid)).toMatchObject([{ paymentHash, paymentRequest, amountMsat, outcome }]);
      expect(recordOf(held)).toMatchObject([{ paymentHash: held.paymentHash, amountMsat: held.amountMsat, outcome: { state: 'pending' } }]);
      // A node may have no record of a payment for which it found no route.
      for (const record of recordOf(failed)) expect(record.outcome.state).toBe('failed');
      const [{ createdAt = 0, endedAt = 0 } = {}] = recordOf(paid);
      expect(Math.abs(createdAt - Date.now() / 1000)).toBeLessThan(3600);
      expect(endedAt).toBeGreaterThanOrEqual(createdAt);
      expect(records.filter((record) => record.createdAt >= createdAt)).toEqual(await sentPayments(again, createdAt));
      expect(await sentPayments(again, Math.max(...records.map((record) => record.createdAt)) + 1, 100)).toEqual([]);
      await outside.resolveHold(held.paymentHash, 'cancel');
      expect(await endOf(again, held)).toMatchObject({ state: 'failed' });
    });

    it('return the marker of a keysend', async ({ skip }) => {
      const { node, control } = await subject();
      if (!(await node.info()).capabilities.sendsKeysend) return skip('this node does not send keysends');
      const order = await keysendFor({ control }, 'alice');
      const outcome = await endOf(node, order, await node.keysend(order));
      const records = await sentPayments(node, 0, 100);
      expect(records.filter(({ marker }) => marker === order.marker)).toMatchObject([{ amountMsat: order.amountMsat, outcome }]);
    });

    it('return each settlement once with the preimage that the service chose, as it was reported', async () => {
      const { node, control } = await subject();
      node.guardIncoming(async () => 'claim');
      const invoices = [];
      for (const amount of [1_001, 1_002, 1_003]) {
        const invoice = await nodeInvoice(node, { amountMsat: msat(amount), description: '', expirySeconds: 600 });
        expect(await control.payInvoice({ paymentRequest: invoice.paymentRequest, from: 'alice' })).toMatchObject({ state: 'succeeded' });
        invoices.push(invoice);
      }
      await nodeInvoice(node, { amountMsat: msat(1_004), description: '', expirySeconds: 600 });
      const records = await settlements(node);
      expect(new Set(records.map(({ paymentHash }) => paymentHash)).size).toBe(records.length);
      for (const { preimage, paymentHash } of invoices) {
        const [record, ...others] = records.filter((one) => one.preimage === preimage);
        expect([record, others]).toEqual([await settlementOf(node, paymentHash), []]);
      }
      const newest = Math.max(...records.map(({ settledAt }) => settledAt));
      expect(records.filter(({ settledAt }) => settledAt >= newest)).toEqual(await settlements(node, newest));
      expect(await settlements(node, newest + 1, 100)).toEqual([]);
    });
  });
}
