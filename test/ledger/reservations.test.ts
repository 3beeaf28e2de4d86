import { expect, it } from 'vitest';
import { statement } from '../../src/core/db/statement.ts';
import { newId } from '../../src/core/kernel/ids.ts';
import { msat } from '../../src/core/kernel/money.ts';
import { SYSTEM_ACCOUNTS } from '../../src/core/ledger/accounts.ts';
import type { Posting } from '../../src/core/ledger/posting.ts';
import { amount, ledgerWith, onBothDatabases, problemsOfLedger } from '../support/ledger.ts';

const NOTHING = statement('test_change_nothing', 'UPDATE service_fact SET value = value WHERE name = $1');

onBothDatabases('what is reserved in an account', (open) => {
  async function prepared(balanceMsat: number) {
    const database = await open();
    const { ledger, accounts } = await ledgerWith(database, [balanceMsat]);
    const [account] = accounts as [number];
    const spend = (value: number): Posting => ({
      transfers: [{ id: newId(), from: account, to: SYSTEM_ACCOUNTS.node, amountMsat: amount(value) }],
    });
    const request = (value: number): Posting => ({ ...spend(value), leavesReserved: true });
    const hold = (value: number): Posting => ({
      leavesReserved: true,
      holds: [{ id: newId(), account, amountMsat: amount(value), reserveMsat: amount(value) }],
    });
    return { database, ledger, account, spend, request, hold };
  }

  it.each([
    [39, 'booked'],
    [40, 'booked'],
    [41, 'insufficient_balance'],
  ])('of 60 from 100 leaves 40 to requests: one for %i is %s', async (value, expected) => {
    for (const kind of ['request', 'hold'] as const) {
      const { ledger, account, ...postings } = await prepared(100);
      const reservation = ledger.reservations.add(account, msat(60));
      const result = await ledger.post(postings[kind](value)).then(
        () => 'booked',
        ({ type }) => type,
      );
      expect(result).toBe(expected);
      reservation.release();
      expect(ledger.reservations.inAccount(account)).toBe(0);
    }
  });

  it('does not concern postings that must be booked, and reduces the fee reserve of a hold', async () => {
    const { ledger, account, spend, hold, database } = await prepared(100);
    const reservation = ledger.reservations.add(account, msat(60));
    await ledger.post(hold(30));
    expect((await ledger.balance(account)).heldMsat).toBe(40);
    await ledger.post(spend(60));
    expect((await ledger.balance(account)).spendableMsat).toBe(0);
    reservation.release();
    expect(await problemsOfLedger(database)).toEqual([]);
  });

  it('is spent by its posting alone, also when a batch is evaluated again because of another posting', async () => {
    const { ledger, account, spend, request, database } = await prepared(100);
    const reservation = ledger.reservations.add(account, msat(100));
    const failing: Posting = { rows: [{ statement: NOTHING, parameters: ['none'], onMiss: new Error('another posting fails') }] };
    const results = await Promise.allSettled([
      ledger.post(request(100)),
      ledger.post({ ...spend(100), reservation }),
      ledger.post(failing),
    ]);
    reservation.release();
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected']);
    expect(await problemsOfLedger(database)).toEqual([]);
  });

  it('is kept in the order of its requests: a later one waits for an earlier one, and keeps nothing meanwhile', async () => {
    const { ledger, account, request } = await prepared(150);
    const first = ledger.reservations.add(account, msat(100));
    const second = ledger.reservations.add(account, msat(100));
    expect([first.earlierMsat(), second.earlierMsat()]).toEqual([0, 100]);
    const waiting = second.waitForEarlier();
    expect(ledger.reservations.inAccount(account)).toBe(100);
    await ledger.post(request(50));
    const before = second.numEnded();
    first.release();
    await waiting;
    expect([second.earlierMsat(), second.numEnded() - before, ledger.reservations.inAccount(account)]).toEqual([0, 1, 100]);
    await second.waitForEarlier();
    second.release();
    expect(ledger.reservations.inAccount(account)).toBe(0);
  });
});
