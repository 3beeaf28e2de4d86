import { expect, it } from 'vitest';
import { statement } from '../../src/core/db/statement.ts';
import { SYSTEM_ACCOUNTS } from '../../src/core/ledger/accounts.ts';
import { amount, onBothDatabases, problemsOf } from '../support/ledger.ts';
import { draftOf, modulesOn, preimageOf, settlementOf } from '../support/modules.ts';

const creditsOf = statement<{ n: number }>('test_credits', 'SELECT count(*) AS n FROM ledger_transfer WHERE to_lntx = $1');

onBothDatabases('settlements', (open) => {
  it('S9: the same settlement, reported a hundred times to two workers, is credited once', async () => {
    const database = await open();
    const modules = await modulesOn(database);
    const otherWorker = await modulesOn(database);
    const wallet = await modules.wallet(0);
    const invoice = await modules.invoice(wallet, 4_321);
    const settlement = settlementOf(invoice, 4_321);
    await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        (i % 2 ? modules : otherWorker).invoices.settle({ ...settlement, settledAt: settlement.settledAt + i }),
      ),
    );
    await modules.invoices.settle(settlement);
    expect((await modules.ledger.balance(wallet.ledgerAccount)).balanceMsat).toBe(4_321);
    expect(await database.first(creditsOf, invoice.id)).toEqual({ n: 1 });
    expect(await modules.invoices.find(invoice.id)).toMatchObject({ state: 'settled', receivedMsat: 4_321 });
    expect(await problemsOf(database)).toEqual([]);
  });

  it('S9: settlements of a hundred invoices, each reported three times, are a hundred credits', async () => {
    const database = await open();
    const modules = await modulesOn(database);
    const wallet = await modules.wallet(0);
    const invoices = await Promise.all(Array.from({ length: 100 }, (_, i) => modules.invoice(wallet, 1_000 + i)));
    const thrice = [...invoices, ...invoices.toReversed(), ...invoices];
    await Promise.all(thrice.map((invoice) => modules.invoices.settle(settlementOf(invoice, invoice.amountMsat ?? 0))));
    const total = invoices.reduce((sum, { amountMsat }) => sum + (amountMsat ?? 0), 0);
    expect(await modules.ledger.balance(wallet.ledgerAccount)).toMatchObject({ balanceMsat: total, entries: 100 });
    expect(await problemsOf(database)).toEqual([]);
  });

  it('S9: money for no wallet, reported a hundred times, is booked to suspense once', async () => {
    const database = await open();
    const modules = await modulesOn(database);
    const unknown = { ...settlementOf(await modules.invoice(await modules.wallet(0), 5), 700), paymentHash: 'ee'.repeat(32) };
    await Promise.all(Array.from({ length: 100 }, () => modules.invoices.settle(unknown)));
    expect((await modules.ledger.balance(SYSTEM_ACCOUNTS.suspense)).balanceMsat).toBe(700);
    expect(await problemsOf(database)).toEqual([]);
  });

  it('credits a keysend once, to suspense or to a wallet, whichever its routing chose first', async () => {
    const database = await open();
    const modules = await modulesOn(database);
    const otherWorker = await modulesOn(database);
    const wallet = await modules.wallet(0);
    const settlement = { ...settlementOf(await modules.invoice(wallet, 5), 700), keysend: true };
    const customRecords = { '696969': Buffer.from(wallet.id).toString('hex') };
    const credited = async () => [
      (await modules.ledger.balance(SYSTEM_ACCOUNTS.suspense)).balanceMsat,
      (await modules.ledger.balance(wallet.ledgerAccount)).balanceMsat,
    ];
    const unmatched = { ...settlement, paymentHash: 'e1'.repeat(32) };
    await modules.invoices.settle(unmatched);
    await modules.invoices.settle({ ...unmatched, customRecords });
    expect(await credited()).toEqual([700, 0]);
    expect(await modules.invoices.mayClaim({ ...unmatched, customRecords })).toBe(false);

    const routed = { ...settlement, paymentHash: 'e2'.repeat(32) };
    await modules.invoices.settle({ ...routed, customRecords });
    await modules.invoices.settle(routed);
    expect(await credited()).toEqual([700, 700]);

    for (let i = 0; i < 20; i++) {
      const raced = { ...settlement, paymentHash: `f${i}`.padEnd(64, 'f') };
      await Promise.all([modules.invoices.settle(raced), otherWorker.invoices.settle({ ...raced, customRecords })]);
    }
    const [suspense = 0, balance = 0] = await credited();
    expect(suspense + balance).toBe(22 * 700);
    expect(await problemsOf(database)).toEqual([]);
  });

  it('rejects a keysend whose hash was credited before, so its payer keeps the money', async () => {
    const modules = await modulesOn(await open());
    const wallet = await modules.wallet(0);
    const customRecords = { '696969': Buffer.from(wallet.id).toString('hex') };
    const arrived = { paymentHash: 'ab'.repeat(32), amountMsat: amount(7_000), keysend: true, customRecords };
    expect(await modules.invoices.mayClaim(arrived)).toBe(true);
    await modules.invoices.settle({ ...arrived, type: 'settlement', preimage: 'cd'.repeat(32), settledAt: 1_700_000_000 });
    expect((await modules.ledger.balance(wallet.ledgerAccount)).balanceMsat).toBe(7_000);
    expect(await modules.invoices.mayClaim(arrived)).toBe(false);
  });

  it('books the end of a payment once, by the first of a hundred contradicting reports', async () => {
    const database = await open();
    const modules = await modulesOn(database);
    const wallet = await modules.wallet(10_000);
    const { payment } = await modules.saga.start({ payment: draftOf(wallet, 7_000), reserveMsat: amount(500) });
    const paid = { state: 'succeeded', preimage: preimageOf(payment), feeMsat: amount(100) } as const;
    const failed = { state: 'failed', reason: 'NO_ROUTE' } as const;
    await modules.saga.conclude(payment, paid);
    const reports = Array.from({ length: 100 }, (_, i) => modules.saga.conclude(payment, i % 2 ? paid : failed));
    await Promise.all(reports);
    expect(await modules.ledger.balance(wallet.ledgerAccount)).toMatchObject({ balanceMsat: 2_900, heldMsat: 0, entries: 3 });
    expect(await problemsOf(database)).toEqual([]);
  });

  it('R2: a hundred concurrent payments of one hash, from two wallets, are one payment and one hold', async () => {
    const database = await open();
    const modules = await modulesOn(database);
    const [a, b] = await Promise.all([modules.wallet(7_000), modules.wallet(7_000)]);
    const drafts = Array.from({ length: 100 }, (_, i) => ({ ...draftOf(i % 2 ? a : b, 7_000), paymentHash: 'cd'.repeat(32) }));
    const outcomes = await Promise.allSettled(drafts.map((payment) => modules.saga.start({ payment, reserveMsat: amount(0) })));
    const started = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    expect(started).toHaveLength(50);
    expect(new Set(started.map(({ payment }) => payment.id)).size).toBe(1);
    expect(started.filter(({ isReplay }) => !isReplay)).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ type: 'invoice_paid' });
    }
    const held = await Promise.all([a, b].map(async ({ ledgerAccount }) => (await modules.ledger.balance(ledgerAccount)).heldMsat));
    expect(held.toSorted()).toEqual([0, 7_000]);
    expect(await problemsOf(database)).toEqual([]);
  });
});
