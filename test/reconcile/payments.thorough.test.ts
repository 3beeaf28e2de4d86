import { expect, it } from 'vitest';
import { readFact } from '../../src/core/db/facts.sql.ts';
import { timeText } from '../../src/core/kernel/clock.ts';
import { ZERO_MSAT } from '../../src/core/kernel/money.ts';
import type { Payment } from '../../src/core/payments/payment.ts';
import { lastReport } from '../../src/features/reconcile/requests.ts';
import { onBothDatabases, problemsOf } from '../support/ledger.ts';
import { draftOf, NODE_ID } from '../support/modules.ts';
import { booksOn, FAILED, RESERVE_MSAT, STUCK_SECONDS, succeeded } from './books.ts';

onBothDatabases('reconciled payments', (open) => {
  it('S6: a payment that is pending for hours is shown with age, wallet, amount and evidence, raises one alert, and stays reserved', async () => {
    const books = await booksOn(await open());
    const wallet = await books.wallet(100_000);
    const [old, fresh] = [await books.pay(wallet, 10_000, STUCK_SECONDS + 5), await books.pay(wallet, 20_000, 5)];
    for (let i = 0; i < 3; i++) {
      expect(await books.reconcile()).toMatchObject({
        pending_payments: 2,
        pending_msat: 30_000,
        pending_states: [{ node_state: 'pending', count: 2 }],
        stuck_payments: 1,
      });
      const evidence = { [old.id]: { checked_at: books.clock.ms / 1000, node_state: 'pending', facts: [], proves_failure: false } };
      expect((await lastReport(books.database))?.evidence).toEqual(evidence);
    }
    expect(await books.openAlerts()).toEqual([`payment_stuck ${old.id}`]);
    const since = timeText(books.clock.ms / 1000 - STUCK_SECONDS - 5);
    const message = `pending since ${since}: 10 sat of ${wallet.id}; state at the node: pending`;
    expect(await books.alerts.listOpen()).toMatchObject([{ message }]);
    expect(books.errors).toEqual(['alert: payment_stuck']);
    expect(await books.ledger.openHoldMsat(old.id)).toBe(10_000 + RESERVE_MSAT);
    await books.end(old, FAILED);
    await books.end(fresh, FAILED);
    expect(await books.reconcile()).toMatchObject({ pending_payments: 0, stuck_payments: 0, pending_states: [] });
    expect((await lastReport(books.database))?.evidence).toEqual({});
    expect(await books.openAlerts()).toEqual([]);
  });

  it('reports the node’s state of each payment, including no record and no response', async () => {
    const books = await booksOn(await open());
    const wallet = await books.wallet(100_000);
    const paymentReportedAs = async (outcome: Parameters<typeof books.responses.payments.set>[1] | undefined) => {
      const payment = await books.pay(wallet, 1000);
      if (outcome === undefined) books.responses.payments.delete(payment.id);
      else books.responses.payments.set(payment.id, outcome);
      return payment;
    };
    const payments = [
      await paymentReportedAs(FAILED),
      await paymentReportedAs(undefined),
      await paymentReportedAs('silent'),
      await paymentReportedAs({ state: 'pending' }),
    ];
    await paymentReportedAs(succeeded(payments[0] as (typeof payments)[0]));
    const states = (await books.reconcile()).pending_states.map(({ node_state, count }) => [node_state, count]);
    expect(Object.fromEntries(states)).toEqual({ 'failed (NO_ROUTE)': 1, 'no record': 1, 'no response': 1, pending: 1, succeeded: 1 });
    for (const { id } of payments) expect(await books.ledger.openHoldMsat(id)).toBeGreaterThan(0);
  });

  it('reports a response that is not understood as no response, and raises no contradiction', async () => {
    const books = await booksOn(await open());
    const wallet = await books.wallet(100_000);
    const [ended, pending] = [await books.pay(wallet, 1000), await books.pay(wallet, 1000)];
    await books.end(ended, FAILED);
    const invoice = await books.invoice(wallet, 1000);
    for (const response of [null, {}, { state: 'lost' }] as never[]) {
      books.responses.payments.set(ended.id, response).set(pending.id, response);
      books.responses.invoices.set(invoice.paymentHash, response);
      const report = await books.reconcile();
      expect(report).toMatchObject({
        pending_states: [{ node_state: 'no response', count: 1 }],
        contradictions: [],
        missed_settlements: [],
      });
    }
    expect(await books.openAlerts()).toEqual(['node_silent lnd_test']);
  });

  it('reports as unknown what the records of the node show about a stuck payment when it does not understand them', async () => {
    const books = await booksOn(await open());
    const { id } = await books.pay(await books.wallet(100_000), 1000, STUCK_SECONDS + 5);
    for (const evidence of [null, {}, { items: [], provesFailure: 'yes' }] as never[]) {
      const { pending_states } = await books.reconcile('full', { node: { collectEvidence: async () => evidence } });
      expect(pending_states).toEqual([{ node_state: 'pending', count: 1 }]);
      const nodeState = expect.stringContaining('unknown');
      expect((await lastReport(books.database))?.evidence[id]).toMatchObject({ node_state: nodeState, facts: [] });
      expect(await books.alerts.listOpen()).toMatchObject([{ message: nodeState }]);
    }
  });

  it('S7: corrects a payment that failed in the ledger and succeeded at the node, with an alert', async () => {
    const database = await open();
    const books = await booksOn(database);
    const payment = await books.pay(await books.wallet(100_000), 10_000);
    await books.end(payment, FAILED);
    await books.reconcile();
    books.responses.payments.set(payment.id, succeeded(payment, 1000));
    const report = await books.reconcile();
    expect(report.contradictions).toEqual([]);
    expect(await books.openAlerts()).toEqual([`payment_corrected ${payment.id}`]);
    expect(await books.ledger.balance(payment.ledgerAccount)).toMatchObject({ balanceMsat: 89_000, heldMsat: 0 });
    expect(await problemsOf(database)).toEqual([]);
  });

  it('S7: a late success that the operator bears is not a contradiction', async () => {
    const books = await booksOn(await open());
    const wallet = await books.wallet(20_000);
    const payment = await books.pay(wallet, 10_000);
    await books.end(payment, FAILED);
    const other = await books.pay(wallet, 15_000);
    await books.end(other, succeeded(other));
    books.responses.payments.set(payment.id, succeeded(payment));
    for (let i = 0; i < 2; i++) expect((await books.reconcile()).contradictions).toEqual([]);
    expect(await books.openAlerts()).toEqual([`payment_corrected ${payment.id}`]);
    expect(await books.ledger.balance(wallet.ledgerAccount)).toMatchObject({ balanceMsat: 5000, heldMsat: 0 });
    expect(await books.reconcile()).toMatchObject({ operator_costs_msat: 10_000 });
  });

  it('F2: a fee above the limit raises one alert, also when the outcome is reported repeatedly', async () => {
    const database = await open();
    const books = await booksOn(database);
    const wallet = await books.wallet(100_000);
    const [payment, late] = [await books.pay(wallet, 10_000), await books.pay(wallet, 20_000)];
    await books.end(late, FAILED);
    const report = (one: Payment) => books.deps.payments.reportOutcome(one.id, succeeded(one, RESERVE_MSAT + 700));
    await Promise.all([report(payment), report(payment), report(late)]);
    await report(payment);
    const raised = (await books.alerts.listOpen()).filter(({ kind }) => kind === 'fee_above_limit');
    expect(raised.map(({ subject }) => subject).toSorted()).toEqual([payment.id, late.id].toSorted());
    for (const { message } of raised) expect(message).toContain('the wallet was charged 5 sat, the operator bears 0.7 sat');
    expect(books.errors.filter((line) => line.includes('fee_above_limit'))).toHaveLength(2);
    expect(await problemsOf(database)).toEqual([]);
  });

  it('F2: a payment ends although logging its alert fails, and the alert is logged later', async () => {
    const books = await booksOn(await open());
    const payment = await books.pay(await books.wallet(100_000), 10_000);
    const late = { ...books.alerts, announce: () => Promise.reject(new Error('the database is away')) };
    await books.paymentsWith(late).reportOutcome(payment.id, succeeded(payment, RESERVE_MSAT + 700));
    expect(await books.ledger.openHoldMsat(payment.id)).toBeUndefined();
    expect(books.errors).toEqual([]);
    books.responses.payments.set(payment.id, succeeded(payment));
    await books.reconcile();
    expect(books.errors).toEqual(['alert: fee_above_limit']);
  });

  it('N1: a contradiction is alerted once with both sides, moves no money, and is cleared when both agree', async () => {
    const books = await booksOn(await open());
    const wallet = await books.wallet(100_000);
    const [sent, refunded] = [await books.pay(wallet, 10_000), await books.pay(wallet, 20_000)];
    await books.end(sent, succeeded(sent));
    await books.end(refunded, FAILED);
    books.responses.payments.set(sent.id, FAILED);
    books.responses.payments.set(refunded.id, { state: 'pending' });
    for (let i = 0; i < 2; i++) {
      const { contradictions } = await books.reconcile();
      expect(contradictions.toSorted((a, b) => a.num_msat - b.num_msat)).toMatchObject([
        { id: sent.id, wallet_id: wallet.id, num_msat: 10_000, ledger_state: 'succeeded', node_state: 'failed (NO_ROUTE)' },
        { id: refunded.id, wallet_id: wallet.id, num_msat: 20_000, ledger_state: 'failed', node_state: 'pending' },
      ]);
    }
    const alerts = await books.openAlerts();
    expect(alerts.toSorted()).toEqual([sent, refunded].map(({ id }) => `payment_contradicted ${id}`).toSorted());
    expect(books.errors).toHaveLength(2);
    expect(await books.ledger.balance(wallet.ledgerAccount)).toMatchObject({ balanceMsat: 90_000, heldMsat: 0 });
    books.responses.payments.set(sent.id, succeeded(sent));
    books.responses.payments.set(refunded.id, FAILED);
    expect((await books.reconcile()).contradictions).toEqual([]);
    expect(await books.openAlerts()).toEqual([]);
  });

  it('a success without a record at the node is a contradiction; a failure without a record is not', async () => {
    const books = await booksOn(await open());
    const wallet = await books.wallet(100_000);
    const [sent, refused] = [await books.pay(wallet, 10_000), await books.pay(wallet, 20_000)];
    await books.end(sent, succeeded(sent));
    await books.end(refused, FAILED);
    books.responses.payments.clear();
    expect((await books.reconcile()).contradictions).toMatchObject([{ id: sent.id, node_state: 'no record' }]);
  });

  it('never looks up an internal payment at the node', async () => {
    const books = await booksOn(await open());
    const [payer, payee] = [await books.wallet(100_000), await books.wallet(0)];
    const invoice = await books.invoice(payee, 10_000);
    await books.saga.start({ payment: draftOf(payer, 10_000, invoice), reserveMsat: ZERO_MSAT });
    await books.saga.stop();
    expect((await books.ledger.balance(payee.ledgerAccount)).balanceMsat).toBe(10_000);
    const report = await books.reconcile();
    expect(report.contradictions).toEqual([]);
    expect(report).toMatchObject({ compared_payments: 0, compared_invoices: 1 });
  });

  it('compares a payment that was pending when it has ended, at any age', async () => {
    const books = await booksOn(await open());
    const payment = await books.pay(await books.wallet(100_000), 10_000);
    for (let i = 0; i < 2; i++) {
      expect((await books.reconcile('periodic')).compared_payments).toBe(0);
      books.clock.ms += 120_000;
    }
    await books.end(payment, FAILED);
    books.clock.ms += 30 * 24 * 3600 * 1000;
    books.responses.payments.set(payment.id, { state: 'pending' });
    expect((await books.reconcile('periodic')).contradictions).toMatchObject([{ id: payment.id }]);
  });

  it('compares a payment that is committed after newer ones', async () => {
    const database = await open();
    const books = await booksOn(database);
    const wallet = await books.wallet(100_000);
    const early = draftOf(wallet, 1000);
    const later = await books.pay(wallet, 1000);
    await books.end(later, FAILED);
    expect((await books.reconcile('periodic')).compared_payments).toBe(1);
    expect(early.id < later.id).toBe(true);
    expect((await database.first(readFact, `reconcile_payments_seen ${NODE_ID}`))?.value).toSatisfy((seen: string) => seen < early.id);
  });

  it('compares many payments in pages, each once, and few of them again in the next run', async () => {
    const books = await booksOn(await open(), 150_000);
    books.responses.together = 4;
    const wallet = await books.wallet(10_000_000);
    for (let i = 0; i < 230; i++) {
      const payment = await books.pay(wallet, 1000);
      await books.end(payment, i % 2 ? FAILED : succeeded(payment));
    }
    expect((await books.reconcile('periodic')).compared_payments).toBe(230);
    expect(books.responses.mostInFlight).toBe(4);
    // Payments newer than a minute are compared twice, and those older than a week no longer.
    books.clock.ms += 120_000;
    await books.reconcile('periodic');
    books.clock.ms += 8 * 24 * 3600 * 1000;
    books.responses.calls = 0;
    expect((await books.reconcile('periodic')).compared_payments).toBe(0);
    expect(books.responses.calls).toBe(1);
  });

  it('continues where the node stopped answering, and makes no more calls to a silent node', async () => {
    const books = await booksOn(await open());
    const wallet = await books.wallet(10_000_000);
    const payments = [];
    for (let i = 0; i < 120; i++) payments.push(await books.pay(wallet, 1000));
    for (const payment of payments) await books.end(payment, FAILED);
    for (const { id } of payments) books.responses.payments.set(id, 'silent');
    const silent = await books.reconcile('periodic');
    expect(silent.incomplete_reason).toMatch(/no response within/);
    expect(silent.contradictions).toEqual([]);
    expect(books.responses.calls).toBeLessThan(10);
    expect(await books.openAlerts()).toEqual([`node_silent ${NODE_ID}`]);
    for (const { id } of payments) books.responses.payments.set(id, { state: 'pending' });
    const again = await books.reconcile('periodic');
    expect(again.incomplete_reason).toBeNull();
    expect(again.compared_payments).toBe(120);
    expect(again.contradictions).toHaveLength(100);
    expect(await books.openAlerts()).toHaveLength(120);
  });
});
