import { expect, it } from 'vitest';
import { rewindPosition } from '../../src/core/connection/ledger-nodes.ts';
import type { SettlementDetails } from '../../src/core/invoices/report.ts';
import { ZERO_MSAT } from '../../src/core/kernel/money.ts';
import { requestUnsettledComparison } from '../../src/features/reconcile/invoices.ts';
import { onBothDatabases, problemsOf } from '../support/ledger.ts';
import { draftOf, NODE_ID } from '../support/modules.ts';
import { type Books, booksOn } from './books.ts';

async function balanceOf(books: Books, account: number): Promise<number> {
  return (await books.ledger.balance(account)).balanceMsat;
}

onBothDatabases('reconciled invoices', (open) => {
  it('S12: paid at the node and not booked: are found, credited once and reported', async () => {
    const database = await open();
    const books = await booksOn(database);
    const wallet = await books.wallet(0);
    const invoice = await books.invoice(wallet, 10_000);
    await books.reconcile();
    const settlement = books.paidAtNode(invoice, 10_000);
    const report = await books.reconcile('periodic');
    const missed = { id: invoice.id, wallet_id: wallet.id, num_msat: 10_000, is_booked: true };
    expect(report.missed_settlements).toEqual([missed]);
    expect(report).toMatchObject({ balance_status: 'measured', customers_msat: 10_000, difference_msat: 0 });
    // The node's own report comes late.
    await books.invoices.settle(settlement);
    expect(await balanceOf(books, wallet.ledgerAccount)).toBe(10_000);
    const again = await books.reconcile();
    expect(again.missed_settlements).toEqual([]);
    expect(await books.openAlerts()).toEqual([]);
    expect(await problemsOf(database)).toEqual([]);
  });

  it('does not list a settlement whose own report is booked while the reconciliation looks at it', async () => {
    const books = await booksOn(await open());
    const wallet = await books.wallet(0);
    const reported = books.paidAtNode(await books.invoice(wallet, 10_000), 10_000);
    const settle = async (settlement: SettlementDetails, nodeId: string) => {
      await books.invoices.settle(reported);
      return books.invoices.settle(settlement, nodeId);
    };
    const report = await books.reconcile('full', { invoices: { settle, arrivingMsat: async () => 0 } });
    expect(report).toMatchObject({ missed_settlements: [], contradictions: [], customers_msat: 10_000, difference_msat: 0 });
    expect(await balanceOf(books, wallet.ledgerAccount)).toBe(10_000);
    expect(await books.openAlerts()).toEqual([]);
  });

  it('recovers a settlement of an invoice of any age, once, after the node was restored', async () => {
    const database = await open();
    const books = await booksOn(database);
    const wallet = await books.wallet(0);
    const [invoice] = await Promise.all(Array.from({ length: 150 }, () => books.invoice(wallet, 10_000)));
    if (!invoice) throw new Error('there is an invoice');
    books.clock.ms += 30 * 24 * 60 * 60 * 1000;
    await books.reconcile();
    books.paidAtNode(invoice, 10_000);
    expect((await books.reconcile()).missed_settlements).toEqual([]);
    await rewindPosition({ database, alerts: books.alerts, onRestore: requestUnsettledComparison }, NODE_ID, undefined);
    expect((await books.reconcile('periodic')).missed_settlements).toMatchObject([{ id: invoice.id, is_booked: true }]);
    expect(await balanceOf(books, wallet.ledgerAccount)).toBe(10_000);
    const { calls } = books.responses;
    expect((await books.reconcile('periodic')).compared_invoices).toBe(0);
    expect(books.responses.calls - calls).toBeLessThan(5);
    expect(await books.openAlerts()).toContain(`node_restored ${NODE_ID}`);
    expect(await problemsOf(database)).toEqual([]);
  });

  it('compares all unsettled invoices after a restore, although the node stops answering in between', async () => {
    const books = await booksOn(await open());
    const wallet = await books.wallet(0);
    const invoices = await Promise.all(Array.from({ length: 120 }, () => books.invoice(wallet, 10_000)));
    const last = invoices.toSorted((a, b) => (a.id < b.id ? -1 : 1)).at(-1);
    if (!last) throw new Error('there is an invoice');
    books.clock.ms += 30 * 24 * 60 * 60 * 1000;
    await rewindPosition({ database: books.database, alerts: books.alerts, onRestore: requestUnsettledComparison }, NODE_ID, undefined);
    books.paidAtNode(last, 10_000);
    for (const { paymentHash } of invoices) if (paymentHash !== last.paymentHash) books.responses.invoices.set(paymentHash, 'silent');
    expect((await books.reconcile('periodic')).missed_settlements).toEqual([]);
    for (const { paymentHash } of invoices)
      if (paymentHash !== last.paymentHash) books.responses.invoices.set(paymentHash, { state: 'open' });
    expect((await books.reconcile('periodic')).missed_settlements).toMatchObject([{ id: last.id, is_booked: true }]);
  });

  it('raises one alert for a settlement that cannot be booked, and clears it after the booking', async () => {
    const books = await booksOn(await open());
    const wallet = await books.wallet(0);
    const invoice = await books.invoice(wallet, 10_000);
    await books.reconcile();
    books.paidAtNode(invoice, 10_000);
    const diskFull = { invoices: { settle: () => Promise.reject(new Error('the disk is full')), arrivingMsat: async () => 0 } };
    for (let i = 0; i < 2; i++) {
      const report = await books.reconcile('full', diskFull);
      expect(report.missed_settlements).toMatchObject([{ id: invoice.id, is_booked: false }]);
      expect(await books.openAlerts()).toEqual([`settlement_unbooked ${invoice.id}`]);
    }
    expect(books.errors).toEqual(['alert: settlement_unbooked']);
    expect((await books.reconcile()).missed_settlements).toMatchObject([{ is_booked: true }]);
    expect(await books.openAlerts()).toEqual([]);
    expect(await balanceOf(books, wallet.ledgerAccount)).toBe(10_000);
  });

  it('raises an alert for a credit that the node does not confirm, and clears it when both agree', async () => {
    const books = await booksOn(await open());
    const wallet = await books.wallet(0);
    const [unpaid, less] = [await books.invoice(wallet, 10_000), await books.invoice(wallet, 20_000)];
    for (const [invoice, amountMsat] of [
      [unpaid, 10_000],
      [less, 20_000],
    ] as const) {
      await books.invoices.settle(books.paidAtNode(invoice, amountMsat));
    }
    expect((await books.reconcile()).contradictions).toEqual([]);
    const paid = books.responses.invoices.get(less.paymentHash);
    books.responses.invoices.set(unpaid.paymentHash, { state: 'open' });
    books.responses.invoices.set(less.paymentHash, { state: 'settled', amountMsat: 1 as never, preimage: '' });
    for (let i = 0; i < 2; i++) {
      const { contradictions } = await books.reconcile();
      const sides = contradictions.map(({ id, ledger_state, node_state }) => ({ id, ledger_state, node_state }));
      expect(sides).toContainEqual({ id: unpaid.id, ledger_state: 'settled from outside with 10 sat', node_state: 'invoice open' });
      expect(sides).toContainEqual({
        id: less.id,
        ledger_state: 'settled from outside with 20 sat',
        node_state: 'invoice settled with 0.001 sat',
      });
    }
    expect(await books.openAlerts()).toHaveLength(2);
    expect(books.errors).toHaveLength(2);
    for (const { paymentHash } of [unpaid, less]) if (paid) books.responses.invoices.set(paymentHash, paid);
    books.responses.invoices.set(unpaid.paymentHash, { state: 'settled', amountMsat: 10_000 as never, preimage: '' });
    expect((await books.reconcile()).contradictions).toEqual([]);
    expect(await books.openAlerts()).toEqual([]);
  });

  it('raises an alert for an invoice settled internally and paid at the node, and does not credit it again', async () => {
    const books = await booksOn(await open());
    const [payer, payee] = [await books.wallet(100_000), await books.wallet(0)];
    const invoice = await books.invoice(payee, 10_000);
    await books.saga.start({ payment: draftOf(payer, 10_000, invoice), reserveMsat: ZERO_MSAT });
    await books.saga.stop();
    expect((await books.reconcile()).contradictions).toEqual([]);
    books.paidAtNode(invoice, 10_000);
    const report = await books.reconcile();
    expect(report.contradictions).toMatchObject([{ id: invoice.id, ledger_state: 'settled internally with 10 sat' }]);
    expect(report.missed_settlements).toEqual([]);
    expect(await balanceOf(books, payee.ledgerAccount)).toBe(10_000);
  });

  it('draws no conclusion from a missing response about an invoice', async () => {
    const books = await booksOn(await open());
    const wallet = await books.wallet(0);
    const [open_, paid] = [await books.invoice(wallet, 10_000), await books.invoice(wallet, 20_000)];
    await books.invoices.settle(books.paidAtNode(paid, 20_000));
    for (const { paymentHash } of [open_, paid]) books.responses.invoices.set(paymentHash, 'silent');
    const report = await books.reconcile();
    expect(report).toMatchObject({ contradictions: [], missed_settlements: [], compared_invoices: 0 });
    expect(await books.openAlerts()).toEqual([]);
  });
});
