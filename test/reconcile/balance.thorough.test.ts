import { expect, it } from 'vitest';
import { removeUnbooked, setEventAside } from '../../src/core/connection/nodes.sql.ts';
import { statement } from '../../src/core/db/statement.ts';
import { msat } from '../../src/core/kernel/money.ts';
import type { PaymentReference } from '../../src/core/lightning/node.ts';
import { onBothDatabases, testDeposit } from '../support/ledger.ts';
import { NODE_ID } from '../support/modules.ts';
import { type Books, booksOn, FAILED, RESERVE_MSAT, STUCK_SECONDS, succeeded } from './books.ts';

const OWN_MSAT = 1_000_000_000;

/** Creates a wallet with money that arrived through the node. */
async function funded(books: Books, amountMsat: number) {
  const wallet = await books.wallet(0);
  await books.invoices.settle(books.paidAtNode(await books.invoice(wallet, amountMsat), amountMsat));
  return wallet;
}

const baselines = statement(
  'test_baselines',
  'SELECT accepted_by, reason, baseline_msat, rose_msat, fell_msat FROM node_baseline ORDER BY id',
);

async function nodeAlerts(books: Books): Promise<string[]> {
  return (await books.openAlerts()).filter((one) => one.startsWith('node_'));
}

function add(books: Books, amountMsat: number): void {
  books.responses.localMsat = Number(books.responses.localMsat) + amountMsat;
}

onBothDatabases('the reconciled balance', (open) => {
  it('N2: is explained to the millisatoshi: the node’s own money, customers, suspense, costs of the operator, money in flight', async () => {
    const books = await booksOn(await open());
    expect(await books.reconcile()).toMatchObject({
      assets_msat: OWN_MSAT,
      baseline_msat: OWN_MSAT,
      expected_msat: OWN_MSAT,
      difference_msat: 0,
    });
    const wallet = await funded(books, 100_000);
    const unmatched = books.paidAtNode({ ...(await books.invoice(wallet, 7000)), paymentHash: 'ab'.repeat(32) }, 7000);
    await books.invoices.settle(unmatched);
    // Routing cost 2,000 more than the reserve of 5,000.
    const dear = await books.pay(wallet, 10_000);
    await books.end(dear, succeeded(dear, RESERVE_MSAT + 2000));
    add(books, -17_000);
    await books.pay(wallet, 20_000);
    expect(await books.reconcile()).toMatchObject({
      balance_status: 'measured',
      baseline_msat: OWN_MSAT,
      customers_msat: 85_000,
      suspense_msat: 7000,
      service_fees_msat: 0,
      operator_costs_msat: 2000,
      expected_msat: OWN_MSAT + 90_000,
      assets_msat: OWN_MSAT + 90_000,
      in_flight_msat: 20_000 + RESERVE_MSAT,
      difference_msat: 0,
      moved_msat: 0,
    });
    expect(await books.openAlerts()).toEqual([`fee_above_limit ${dear.id}`]);
  });

  it('raises one alert for a decrease beyond the amount in flight, and closes it when exactly that amount returns', async () => {
    const books = await booksOn(await open());
    await books.reconcile();
    const wallet = await funded(books, 100_000);
    const payment = await books.pay(wallet, 20_000);
    // The payment has ended at the node, and the ledger has not booked it yet.
    add(books, -(20_000 + RESERVE_MSAT));
    expect(await books.reconcile()).toMatchObject({ difference_msat: -25_000, in_flight_msat: 25_000 });
    expect(await books.openAlerts()).toEqual([]);
    add(books, -1);
    const fell = (await books.reconcile()).id;
    await books.reconcile();
    expect(await books.openAlerts()).toEqual([`node_balance_fell ${fell}`]);
    expect(books.errors).toEqual(['alert: node_balance_fell']);
    // The payment has failed, so the rest is missing too, with another alert.
    await books.end(payment, FAILED);
    const rest = (await books.reconcile()).id;
    const messages = (await books.alerts.listOpen()).map(({ message }) => message);
    expect(messages).toEqual([
      expect.stringMatching(/^0\.001 sat left .* 25 sat more may be missing/),
      expect.stringMatching(/^25 sat left/),
    ]);
    expect(await books.openAlerts()).toEqual([`node_balance_fell ${fell}`, `node_balance_fell ${rest}`]);
    add(books, 25_000);
    expect(await books.reconcile()).toMatchObject({ fell_msat: 25_001, rose_msat: 25_000 });
    expect(await books.openAlerts()).toHaveLength(2);
    add(books, 1);
    expect(await books.reconcile()).toMatchObject({ fell_msat: 0, rose_msat: 0, difference_msat: 0 });
    expect(await books.openAlerts()).toEqual([]);
  });

  it('raises an alert for 1 sat that is missing under 100 stuck payments without an HTLC', async () => {
    const books = await booksOn(await open());
    const wallet = await funded(books, 10_000_000);
    await books.reconcile();
    for (let i = 0; i < 100; i++) await books.pay(wallet, 20_000, STUCK_SECONDS);
    // These may have left the node: one has an HTLC, one has no evidence, one is so young that its HTLC may just have ended.
    const [sent, unknown] = [await books.pay(wallet, 3000, STUCK_SECONDS), await books.pay(wallet, 5000, STUCK_SECONDS)];
    await books.pay(wallet, 4000);
    const uncertainMsat = 3000 + 5000 + 4000 + 3 * RESERVE_MSAT;
    const collectEvidence = async ({ paymentId }: PaymentReference) => {
      if (paymentId === unknown.id) throw new Error('the connection is lost');
      return { items: [], provesFailure: false, isWithoutHtlc: paymentId !== sent.id };
    };
    const reconcile = () => books.reconcile('periodic', { node: { collectEvidence } });
    expect(await reconcile()).toMatchObject({ difference_msat: 0, fell_msat: 0 });
    add(books, -uncertainMsat);
    expect(await reconcile()).toMatchObject({ fell_msat: 0, in_flight_msat: uncertainMsat });
    expect(await nodeAlerts(books)).toEqual([]);
    add(books, -1000);
    const { id, ...report } = await reconcile();
    expect(report).toMatchObject({ fell_msat: 1000, in_flight_msat: uncertainMsat });
    expect(await nodeAlerts(books)).toEqual([`node_balance_fell ${id}`]);
    // The next comparison does not count more as in flight, because the level has fallen.
    expect(await reconcile()).toMatchObject({ fell_msat: 1000, in_flight_msat: uncertainMsat });
    expect(await nodeAlerts(books)).toEqual([`node_balance_fell ${id}`]);
  });

  it('counts a payment as in flight that leaves the node while its balance is read', async () => {
    const books = await booksOn(await open());
    const wallet = await funded(books, 100_000);
    await books.reconcile();
    const [leaving, sent] = [await books.pay(wallet, 20_000, STUCK_SECONDS), await books.pay(wallet, 3000, STUCK_SECONDS)];
    add(books, -3000);
    let looks = 0;
    const balance = async () => {
      looks += 1;
      if (looks === 3) {
        books.responses.payments.set(leaving.id, succeeded(leaving));
        add(books, -20_000);
      }
      return { localMsat: msat(Number(books.responses.localMsat)) };
    };
    const collectEvidence = async ({ paymentId }: PaymentReference) => {
      return { items: [], provesFailure: false, isWithoutHtlc: paymentId !== sent.id };
    };
    const report = await books.reconcile('periodic', { node: { balance, collectEvidence } });
    expect(report).toMatchObject({ difference_msat: -23_000, fell_msat: 0, in_flight_msat: 23_000 + 2 * RESERVE_MSAT });
    expect(await nodeAlerts(books)).toEqual([]);
  });

  it('shows an increase, such as routing income, without an alert, and raises one when it leaves again', async () => {
    const books = await booksOn(await open());
    await books.reconcile();
    add(books, 5000);
    for (let i = 0; i < 2; i++) expect(await books.reconcile()).toMatchObject({ difference_msat: 5000, rose_msat: 5000, fell_msat: 0 });
    expect(await books.openAlerts()).toEqual([]);
    add(books, -2000);
    const report = await books.reconcile();
    const { id } = report;
    expect(report).toMatchObject({ difference_msat: 3000, rose_msat: 5000, fell_msat: 2000 });
    expect(await books.openAlerts()).toEqual([`node_balance_fell ${id}`]);
    expect(await books.reconcile('new_baseline')).toMatchObject({
      baseline_msat: OWN_MSAT + 3000,
      difference_msat: 0,
      rose_msat: 0,
      fell_msat: 0,
    });
    expect(await books.openAlerts()).toEqual([]);
    expect(await books.database.all(baselines)).toEqual([
      { accepted_by: 'bob', reason: 'a test', baseline_msat: OWN_MSAT, rose_msat: 0, fell_msat: 0 },
      { accepted_by: 'bob', reason: 'a test', baseline_msat: OWN_MSAT + 3000, rose_msat: 5000, fell_msat: 2000 },
    ]);
  });

  it('counts neither arrived money that is booked later as an increase, nor a fee that the operator bears as a decrease', async () => {
    const books = await booksOn(await open());
    await books.reconcile();
    const wallet = await funded(books, 100_000);
    const late = books.paidAtNode(await books.invoice(wallet, 7000), 7000);
    let looks = 0;
    const balance = async () => {
      looks += 1;
      if (looks === 2) await books.invoices.settle(late);
      return { localMsat: msat(Number(books.responses.localMsat)) };
    };
    expect(
      await books.reconcile('periodic', { node: { ...books.deps.node, balance, lookupInvoice: async () => undefined } }),
    ).toMatchObject({
      difference_msat: 0,
      rose_msat: 0,
    });
    const dear = await books.pay(wallet, 10_000);
    add(books, -10_000 - RESERVE_MSAT - 2000);
    await books.end(dear, succeeded(dear, RESERVE_MSAT + 2000));
    expect(await books.reconcile()).toMatchObject({ difference_msat: 0, rose_msat: 0, fell_msat: 0, operator_costs_msat: 2000 });
    expect((await books.openAlerts()).filter((one) => one.startsWith('node_'))).toEqual([]);
  });

  it('counts neither a settlement that was set aside as an increase, nor its later booking as a decrease', async () => {
    const books = await booksOn(await open());
    await books.reconcile();
    const wallet = await books.wallet(0);
    const settlement = books.paidAtNode(await books.invoice(wallet, 7000), 7000);
    books.responses.invoices.clear();
    await books.database.transaction((tx) => tx.run(setEventAside, 'settlement', JSON.stringify(settlement), 'a bug', 1, NODE_ID));
    for (let i = 0; i < 2; i++) expect(await books.reconcile()).toMatchObject({ difference_msat: 7000, rose_msat: 0 });
    await books.invoices.settle(settlement);
    await books.database.transaction((tx) => tx.run(removeUnbooked, 'settlement'));
    expect(await books.reconcile()).toMatchObject({ difference_msat: 0, rose_msat: 0, fell_msat: 0 });
    expect((await books.openAlerts()).filter((one) => one.startsWith('node_'))).toEqual([]);
  });

  it('does not accept a settlement that was set aside as the node’s own money', async () => {
    const books = await booksOn(await open());
    const settlement = books.paidAtNode(await books.invoice(await books.wallet(0), 7000), 7000);
    books.responses.invoices.clear();
    await books.database.transaction((tx) => tx.run(setEventAside, 'settlement', JSON.stringify(settlement), 'a bug', 1, NODE_ID));
    expect(await books.reconcile()).toMatchObject({ baseline_msat: OWN_MSAT, difference_msat: 7000 });
    await books.invoices.settle(settlement);
    await books.database.transaction((tx) => tx.run(removeUnbooked, 'settlement'));
    expect(await books.reconcile()).toMatchObject({ baseline_msat: OWN_MSAT, difference_msat: 0, rose_msat: 0, fell_msat: 0 });
    expect((await books.openAlerts()).filter((one) => one.startsWith('node_'))).toEqual([]);
  });

  it('S11: a node that does not answer is not treated as a node with a balance of 0', async () => {
    const books = await booksOn(await open());
    books.responses.localMsat = 'silent';
    for (let i = 0; i < 2; i++) {
      const reason = expect.stringMatching(/no response/);
      const unanswered = { balance_status: 'unanswered', balance_reason: reason, assets_msat: null, difference_msat: null };
      expect(await books.reconcile()).toMatchObject({ ...unanswered, incomplete_reason: reason });
    }
    expect(await books.openAlerts()).toEqual([`node_silent ${NODE_ID}`]);
    expect(books.errors).toEqual(['alert: node_silent']);
    // The missing response was not taken for a balance; the first response is.
    books.responses.localMsat = OWN_MSAT;
    expect(await books.reconcile()).toMatchObject({ balance_status: 'measured', baseline_msat: OWN_MSAT, difference_msat: 0 });
    expect(await books.openAlerts()).toEqual([]);
  });

  it('treats an error of the node as a missing balance, and clears no alert', async () => {
    const books = await booksOn(await open());
    await books.reconcile();
    add(books, -1);
    await books.reconcile();
    const broken = { ...books.deps.node, balance: () => Promise.reject(new Error('connection refused')) };
    expect(await books.reconcile('full', { node: broken })).toMatchObject({
      balance_status: 'unanswered',
      balance_reason: 'connection refused',
      assets_msat: null,
    });
    expect(await books.openAlerts()).toEqual([expect.stringMatching(/^node_balance_fell rec_/), `node_silent ${NODE_ID}`]);
  });

  it('accepts the node’s own money as a baseline, but never missing money of customers', async () => {
    const books = await booksOn(await open());
    await books.reconcile();
    await funded(books, 100_000);
    add(books, -OWN_MSAT / 2);
    const { id } = await books.reconcile();
    expect(await books.openAlerts()).toEqual([`node_balance_fell ${id}`]);
    expect(await books.reconcile('new_baseline')).toMatchObject({ baseline_msat: OWN_MSAT / 2, difference_msat: 0 });
    expect(await books.openAlerts()).toEqual([]);
    books.responses.localMsat = 99_999;
    for (let i = 0; i < 2; i++) {
      expect(await books.reconcile('new_baseline')).toMatchObject({ baseline_msat: 0, difference_msat: -1 });
      expect(await books.openAlerts()).toEqual([`node_holds_less ${NODE_ID}`]);
    }
    books.responses.localMsat = 100_000;
    expect(await books.reconcile()).toMatchObject({ difference_msat: 0 });
    expect(await books.openAlerts()).toEqual([]);
  });

  it('N2: accepts no baseline while money moves through the node, reports that, and leaves the alerts open', async () => {
    const books = await booksOn(await open());
    await books.reconcile();
    const wallet = await books.wallet(0);
    add(books, -5000);
    await books.reconcile();
    const before = await books.openAlerts();
    expect(before).toHaveLength(1);
    const balance = async () => {
      await deposit(books, wallet.ledgerAccount, 1000);
      add(books, 1000);
      return { localMsat: msat(Number(books.responses.localMsat)) };
    };
    const report = await books.reconcile('new_baseline', { node: { ...books.deps.node, balance } });
    expect(report).toMatchObject({
      balance_status: 'unsteady',
      balance_reason: expect.stringContaining('each of 20 measurements'),
      assets_msat: null,
    });
    expect(await books.openAlerts()).toEqual(before);
    expect(await books.reconcile()).toMatchObject({ baseline_msat: OWN_MSAT, difference_msat: -5000, fell_msat: 5000 });
  });

  it('measures again if the ledger moves during a measurement, and accepts no baseline', async () => {
    const books = await booksOn(await open());
    const wallet = await books.wallet(0);
    let left = 2;
    const balance = async () => {
      if (left-- > 0) await deposit(books, wallet.ledgerAccount, 1000);
      return { localMsat: msat(OWN_MSAT) };
    };
    const report = await books.reconcile('full', { node: { ...books.deps.node, balance } });
    expect(left).toBe(-3);
    expect(report).toMatchObject({ moved_msat: 0, baseline_msat: OWN_MSAT - 2000, customers_msat: 2000, difference_msat: 0 });
  });

  it.each([2, 3])('does not count arrived money as the node’s own if it is booked before look %i', async (booked) => {
    const books = await booksOn(await open());
    const wallet = await books.wallet(0);
    let looks = 0;
    const balance = async () => {
      looks += 1;
      if (looks === booked) await deposit(books, wallet.ledgerAccount, 7000);
      return { localMsat: msat(OWN_MSAT + 7000) };
    };
    const report = await books.reconcile('full', { node: { ...books.deps.node, balance } });
    expect(report).toMatchObject({ moved_msat: 0, baseline_msat: OWN_MSAT, customers_msat: 7000, difference_msat: 0 });
    add(books, 7000);
    expect(await books.reconcile()).toMatchObject({ baseline_msat: OWN_MSAT, difference_msat: 0 });
    expect(await books.openAlerts()).toEqual([]);
  });
});

async function deposit(books: Books, to: number, amountMsat: number): Promise<void> {
  await books.ledger.post({ transfers: [testDeposit(to, amountMsat)] });
}
