import { expect, it } from 'vitest';
import { statement } from '../../src/db/statement.ts';
import { SYSTEM_ACCOUNTS } from '../../src/ledger/accounts.ts';
import { amount, onBothDatabases, problemsOf } from '../support/ledger.ts';
import { draftOf, preimageOf, roomsOn, settlementOf } from './rooms.ts';

const creditsOf = statement<{ n: number }>('test_credits', 'SELECT count(*) AS n FROM ledger_transfer WHERE to_lntx = $1');

onBothDatabases('settlements', (open) => {
  it('S9: the same settlement a hundred times at once, also through two workers, is one credit', async () => {
    const database = await open();
    const rooms = await roomsOn(database);
    const otherWorker = await roomsOn(database);
    const wallet = await rooms.wallet(0);
    const invoice = await rooms.invoice(wallet, 4_321);
    const settlement = settlementOf(invoice, 4_321);
    await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        (i % 2 ? rooms : otherWorker).invoices.settle({ ...settlement, settledAt: settlement.settledAt + i }),
      ),
    );
    await rooms.invoices.settle(settlement);
    expect((await rooms.ledger.balance(wallet.ledgerAccount)).balanceMsat).toBe(4_321);
    expect(await database.first(creditsOf, invoice.id)).toEqual({ n: 1 });
    expect(await rooms.invoices.find(invoice.id)).toMatchObject({ state: 'settled', receivedMsat: 4_321 });
    expect(await problemsOf(database)).toEqual([]);
  });

  it('S9: a hundred settlements of a hundred invoices, each reported three times in between, are a hundred credits', async () => {
    const database = await open();
    const rooms = await roomsOn(database);
    const wallet = await rooms.wallet(0);
    const invoices = await Promise.all(Array.from({ length: 100 }, (_, i) => rooms.invoice(wallet, 1_000 + i)));
    const thrice = [...invoices, ...invoices.toReversed(), ...invoices];
    await Promise.all(thrice.map((invoice) => rooms.invoices.settle(settlementOf(invoice, invoice.amountMsat ?? 0))));
    const total = invoices.reduce((sum, { amountMsat }) => sum + (amountMsat ?? 0), 0);
    expect(await rooms.ledger.balance(wallet.ledgerAccount)).toMatchObject({ balanceMsat: total, entries: 100 });
    expect(await problemsOf(database)).toEqual([]);
  });

  it('S9: money for nobody, reported a hundred times, waits once where the operator sees it', async () => {
    const database = await open();
    const rooms = await roomsOn(database);
    const unknown = { ...settlementOf(await rooms.invoice(await rooms.wallet(0), 5), 700), paymentHash: 'ee'.repeat(32) };
    await Promise.all(Array.from({ length: 100 }, () => rooms.invoices.settle(unknown)));
    expect((await rooms.ledger.balance(SYSTEM_ACCOUNTS.suspense)).balanceMsat).toBe(700);
    expect(await problemsOf(database)).toEqual([]);
  });

  it('credits a keysend once, to suspense or to a wallet, whichever its routing chose first', async () => {
    const database = await open();
    const rooms = await roomsOn(database);
    const otherWorker = await roomsOn(database);
    const wallet = await rooms.wallet(0);
    const settlement = { ...settlementOf(await rooms.invoice(wallet, 5), 700), keysend: true };
    const customRecords = { '696969': Buffer.from(wallet.id).toString('hex') };
    const credited = async () => [
      (await rooms.ledger.balance(SYSTEM_ACCOUNTS.suspense)).balanceMsat,
      (await rooms.ledger.balance(wallet.ledgerAccount)).balanceMsat,
    ];
    const stray = { ...settlement, paymentHash: 'e1'.repeat(32) };
    await rooms.invoices.settle(stray);
    await rooms.invoices.settle({ ...stray, customRecords });
    expect(await credited()).toEqual([700, 0]);
    expect(await rooms.invoices.mayClaim({ ...stray, customRecords })).toBe(false);

    const routed = { ...settlement, paymentHash: 'e2'.repeat(32) };
    await rooms.invoices.settle({ ...routed, customRecords });
    await rooms.invoices.settle(routed);
    expect(await credited()).toEqual([700, 700]);

    for (let i = 0; i < 20; i++) {
      const raced = { ...settlement, paymentHash: `f${i}`.padEnd(64, 'f') };
      await Promise.all([rooms.invoices.settle(raced), otherWorker.invoices.settle({ ...raced, customRecords })]);
    }
    const [suspense = 0, balance = 0] = await credited();
    expect(suspense + balance).toBe(22 * 700);
    expect(await problemsOf(database)).toEqual([]);
  });

  it('a keysend whose hash was credited before is sent back: nobody pays for what nobody gets', async () => {
    const rooms = await roomsOn(await open());
    const wallet = await rooms.wallet(0);
    const customRecords = { '696969': Buffer.from(wallet.id).toString('hex') };
    const arrived = { paymentHash: 'ab'.repeat(32), amountMsat: amount(7_000), keysend: true, customRecords };
    expect(await rooms.invoices.mayClaim(arrived)).toBe(true);
    await rooms.invoices.settle({ ...arrived, type: 'settlement', preimage: 'cd'.repeat(32), settledAt: 1_700_000_000 });
    expect((await rooms.ledger.balance(wallet.ledgerAccount)).balanceMsat).toBe(7_000);
    expect(await rooms.invoices.mayClaim(arrived)).toBe(false);
  });

  it('an end of a payment that is reported a hundred times, in both ways, is booked once, as the first report said', async () => {
    const database = await open();
    const rooms = await roomsOn(database);
    const wallet = await rooms.wallet(10_000);
    const { payment } = await rooms.saga.start({ payment: draftOf(wallet, 7_000), reserveMsat: amount(500) });
    const paid = { state: 'succeeded', preimage: preimageOf(payment), feeMsat: amount(100) } as const;
    const failed = { state: 'failed', reason: 'NO_ROUTE' } as const;
    await rooms.saga.conclude(payment, paid);
    const reports = Array.from({ length: 100 }, (_, i) => rooms.saga.conclude(payment, i % 2 ? paid : failed));
    await Promise.all(reports);
    expect(await rooms.ledger.balance(wallet.ledgerAccount)).toMatchObject({ balanceMsat: 2_900, heldMsat: 0, entries: 3 });
    expect(await problemsOf(database)).toEqual([]);
  });

  it('R2: a hundred payments of one hash that begin at once, from two wallets, are one payment and one hold', async () => {
    const database = await open();
    const rooms = await roomsOn(database);
    const [a, b] = await Promise.all([rooms.wallet(7_000), rooms.wallet(7_000)]);
    const drafts = Array.from({ length: 100 }, (_, i) => ({ ...draftOf(i % 2 ? a : b, 7_000), paymentHash: 'cd'.repeat(32) }));
    const outcomes = await Promise.allSettled(drafts.map((payment) => rooms.saga.start({ payment, reserveMsat: amount(0) })));
    const started = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    expect(started).toHaveLength(50);
    expect(new Set(started.map(({ payment }) => payment.id)).size).toBe(1);
    expect(started.filter(({ replayed }) => !replayed)).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ type: 'invoice_paid' });
    }
    const held = await Promise.all([a, b].map(async ({ ledgerAccount }) => (await rooms.ledger.balance(ledgerAccount)).heldMsat));
    expect(held.toSorted()).toEqual([0, 7_000]);
    expect(await problemsOf(database)).toEqual([]);
  });
});
