import { expect, it } from 'vitest';
import { statement } from '../../src/core/db/statement.ts';
import { newId } from '../../src/core/kernel/ids.ts';
import { MAX_MSAT } from '../../src/core/kernel/money.ts';
import { Refusal } from '../../src/core/kernel/refusal.ts';
import { SYSTEM_ACCOUNTS } from '../../src/core/ledger/accounts.ts';
import { HoldClosed } from '../../src/core/ledger/arithmetic.ts';
import { amount, ledgerWith, onBothDatabases, problemsOfLedger } from '../support/ledger.ts';

const at = <T>(list: readonly T[], index: number): T => list[index] as T;

onBothDatabases('the ledger', (open) => {
  it('moves an amount from one account to another, and the books balance', async () => {
    const database = await open();
    const { ledger, accounts } = await ledgerWith(database, [1000, 0]);
    await ledger.post({ transfers: [{ id: newId(), from: at(accounts, 0), to: at(accounts, 1), amountMsat: amount(400) }] });
    expect((await ledger.balance(at(accounts, 0))).balanceMsat).toBe(600);
    expect((await ledger.balance(at(accounts, 1))).balanceMsat).toBe(400);
    expect(await problemsOfLedger(database)).toEqual([]);
  });

  it('B4: rejects a transfer that the balance does not cover, without affecting other postings of the batch', async () => {
    const database = await open();
    const { ledger, accounts } = await ledgerWith(database, [1000, 0]);
    const send = (msat: number) =>
      ledger.post({ transfers: [{ id: newId(), from: at(accounts, 0), to: at(accounts, 1), amountMsat: amount(msat) }] });
    const outcomes = await Promise.allSettled([send(600), send(600), send(400)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((outcomes[1] as PromiseRejectedResult).reason).toMatchObject({ type: 'insufficient_balance' });
    expect((await ledger.balance(at(accounts, 0))).balanceMsat).toBe(0);
    expect(await problemsOfLedger(database)).toEqual([]);
  });

  it('holds amount and reserve, posts the real cost and releases the rest', async () => {
    const database = await open();
    const { ledger, accounts } = await ledgerWith(database, [1000]);
    const account = at(accounts, 0);
    await ledger.post({ holds: [{ id: 'h1', account, amountMsat: amount(700), reserveMsat: amount(100) }] });
    expect(await ledger.openHoldMsat('h1')).toBe(800);
    expect((await ledger.balance(account)).spendableMsat).toBe(200);
    const transfers = [{ id: newId(), from: account, to: SYSTEM_ACCOUNTS.node, amountMsat: amount(701) }];
    await ledger.post({ posts: [{ holdId: 'h1', account, transfers }] });
    expect(await ledger.balance(account)).toMatchObject({ balanceMsat: 299, heldMsat: 0 });
    expect(await problemsOfLedger(database)).toEqual([]);
  });

  it('limits the reserve to the balance that remains above the amount, so that a wallet can be emptied', async () => {
    const { ledger, accounts } = await ledgerWith(await open(), [1000]);
    await ledger.post({
      holds: [{ id: 'h1', account: at(accounts, 0), amountMsat: amount(1000), reserveMsat: amount(50) }],
    });
    expect(await ledger.openHoldMsat('h1')).toBe(1000);
  });

  it('releases a voided hold once', async () => {
    const database = await open();
    const { ledger, accounts } = await ledgerWith(database, [1000]);
    const account = at(accounts, 0);
    await ledger.post({ holds: [{ id: 'h1', account, amountMsat: amount(700), reserveMsat: amount(0) }] });
    await ledger.post({ voids: [{ holdId: 'h1', account }] });
    expect((await ledger.balance(account)).spendableMsat).toBe(1000);
    await expect(ledger.post({ voids: [{ holdId: 'h1', account }] })).rejects.toBeInstanceOf(HoldClosed);
    expect((await ledger.balance(account)).spendableMsat).toBe(1000);
    expect(await problemsOfLedger(database)).toEqual([]);
  });

  it('does not let held money be spent by a transfer', async () => {
    const { ledger, accounts } = await ledgerWith(await open(), [1000, 0]);
    await ledger.post({ holds: [{ id: 'h1', account: at(accounts, 0), amountMsat: amount(700), reserveMsat: amount(0) }] });
    const send = ledger.post({ transfers: [{ id: newId(), from: at(accounts, 0), to: at(accounts, 1), amountMsat: amount(301) }] });
    await expect(send).rejects.toMatchObject({ type: 'insufficient_balance' });
  });

  it('rejects a whole posting when one of its rows does not change, and no other posting of the batch', async () => {
    const database = await open();
    const { ledger, accounts } = await ledgerWith(database, [1000, 0]);
    const note = statement('test_note', `INSERT INTO service_fact (name, value) VALUES ($1, 'x') ON CONFLICT DO NOTHING`);
    const send = (key: string) =>
      ledger.post({
        rows: [{ statement: note, parameters: [key], onMiss: new Refusal('invoice_paid') }],
        transfers: [{ id: newId(), from: at(accounts, 0), to: at(accounts, 1), amountMsat: amount(10) }],
      });
    const outcomes = await Promise.allSettled([send('a'), send('b'), send('a'), send('c'), send('a')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'rejected']);
    expect((outcomes[2] as PromiseRejectedResult).reason).toMatchObject({ type: 'invoice_paid' });
    expect((await ledger.balance(at(accounts, 1))).balanceMsat).toBe(30);
    expect(await problemsOfLedger(database)).toEqual([]);
  });

  it('rejects a balance beyond 2^53 − 1 msat instead of rounding it', async () => {
    const database = await open();
    const { ledger, accounts } = await ledgerWith(database, [MAX_MSAT]);
    const deposit = ledger.post({ transfers: [{ id: newId(), from: SYSTEM_ACCOUNTS.node, to: at(accounts, 0), amountMsat: amount(1) }] });
    await expect(deposit).rejects.toMatchObject({ type: 'limit_exceeded' });
    expect((await ledger.balance(at(accounts, 0))).balanceMsat).toBe(MAX_MSAT);
  });

  it('R7: parallel transfers in both directions neither deadlock nor change the sum', async () => {
    const database = await open();
    const { ledger, accounts } = await ledgerWith(database, [50_000, 50_000]);
    const [a, b] = [at(accounts, 0), at(accounts, 1)];
    const posts = Array.from({ length: 1000 }, (_, i) =>
      ledger.post({ transfers: [{ id: newId(), from: i % 2 ? a : b, to: i % 2 ? b : a, amountMsat: amount(1 + (i % 90)) }] }),
    );
    await Promise.allSettled(posts);
    const balances = await Promise.all([ledger.balance(a), ledger.balance(b)]);
    expect(balances.reduce((sum, { balanceMsat }) => sum + balanceMsat, 0)).toBe(100_000);
    expect(await problemsOfLedger(database)).toEqual([]);
  });

  it('rejects new spending with 503 while the queue is full, but no end of a hold and no money that arrived', async () => {
    const database = await open();
    const { ledger, accounts } = await ledgerWith(database, [100_000, 0]);
    const [a, b] = [at(accounts, 0), at(accounts, 1)];
    await ledger.post({ holds: [{ id: 'early', account: a, amountMsat: amount(100), reserveMsat: amount(0) }] });
    const spend = () => ledger.post({ transfers: [{ id: newId(), from: a, to: b, amountMsat: amount(1) }] });
    const waiting = Array.from({ length: 10_000 }, spend);
    const refused = spend();
    const release = ledger.post({ voids: [{ holdId: 'early', account: a }] });
    const deposit = ledger.post({ transfers: [{ id: newId(), from: SYSTEM_ACCOUNTS.node, to: b, amountMsat: amount(5) }] });
    await expect(refused).rejects.toMatchObject({ type: 'ledger_busy', status: 503 });
    await Promise.all([...waiting, release, deposit]);
    expect((await ledger.balance(b)).balanceMsat).toBe(10_005);
    expect((await ledger.balance(a)).heldMsat).toBe(0);
  });

  it('F9: has a constraint in the database that rejects a customer’s balance below zero', async () => {
    const database = await open();
    const { accounts } = await ledgerWith(database, [1000]);
    const overdraw = statement('test_overdraw', 'UPDATE ledger_account SET balance_msat = -1 WHERE id = $1');
    await expect(database.transaction((tx) => tx.run(overdraw, at(accounts, 0)))).rejects.toThrow();
  });

  for (const written of [true, false]) {
    it(`verify finds a balance, an entry or a hold that was changed, ${written ? 'after all balances were written back' : 'before'}`, async () => {
      for (const tampering of [
        `UPDATE ledger_account SET balance_msat = balance_msat + 10 WHERE kind = 'wallet'`,
        `UPDATE ledger_transfer SET amount_msat = amount_msat + 1`,
        `UPDATE ledger_transfer SET created_at_ms = created_at_ms + 1`,
        `DELETE FROM ledger_transfer`,
        `UPDATE ledger_account SET balance_msat = 9, held_msat = 5 WHERE kind = 'wallet'`,
      ]) {
        const database = await open();
        const { ledger } = await ledgerWith(database, [1000]);
        if (written) await ledger.drain();
        expect(await problemsOfLedger(database)).toEqual([]);
        await database.transaction((tx) => tx.run(statement(`test_tamper_${tampering.length}`, tampering)));
        expect(await problemsOfLedger(database), tampering).not.toEqual([]);
      }
    });
  }
});
