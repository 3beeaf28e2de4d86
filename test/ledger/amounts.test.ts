import { expect, it } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { statement } from '../../src/core/db/statement.ts';
import { newId } from '../../src/core/kernel/ids.ts';
import { floorSat, MAX_MSAT, type Msat, msat } from '../../src/core/kernel/money.ts';
import { Refusal } from '../../src/core/kernel/refusal.ts';
import { SYSTEM_ACCOUNTS } from '../../src/core/ledger/accounts.ts';
import type { Posting } from '../../src/core/ledger/posting.ts';
import { amount, ledgerWith, onBothDatabases, problemsOfLedger } from '../support/ledger.ts';

const PAYMENTS = 10_000;
/** Amounts that are no valid transfer. The type does not exclude them for a caller that parses JSON. */
const NO_AMOUNTS = [0, -0, -1, -1_000, 0.5, 1.5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 2 ** 53, 1e300] as Msat[];

/** Returns a generator of whole numbers from 1 to `max`, determined by the seed. */
function seeded(seed: number): (max: number) => number {
  let state = seed;
  return (max) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return 1 + ((state >>> 8) % max);
  };
}

const countHolds = statement<{ n: number }>('test_count_holds', `SELECT count(*) AS n FROM ledger_hold`);

const entriesOf = statement<{ side: string; amount_msat: number; balance_msat: number }>(
  'test_entries_of',
  `SELECT 'from' AS side, amount_msat, from_balance_msat AS balance_msat FROM ledger_transfer WHERE from_account = $1
   UNION ALL SELECT 'to', amount_msat, to_balance_msat FROM ledger_transfer WHERE to_account = $1`,
);

async function holdsIn(database: Database): Promise<number> {
  return (await database.first(countHolds))?.n ?? 0;
}

onBothDatabases('amounts', (open) => {
  it(`F5: ${PAYMENTS} payments of random msat with fees are exact, and the satoshis of the rows add up to the balance’s`, async () => {
    const database = await open();
    const random = seeded(5);
    const payments = Array.from({ length: PAYMENTS }, () => {
      const [amountMsat, feeMsat] = [random(2_000_000), random(20_000) - 1];
      return { id: newId(), amountMsat, feeMsat, reserveMsat: feeMsat + random(5_000) };
    });
    const spent = payments.reduce((sum, { amountMsat, feeMsat }) => sum + BigInt(amountMsat) + BigInt(feeMsat), 0n);
    const reserved = payments.reduce((sum, { amountMsat, reserveMsat }) => sum + BigInt(amountMsat) + BigInt(reserveMsat), 0n);
    const left = 123_457n;
    const start = reserved + left;
    const { ledger, accounts } = await ledgerWith(database, [Number(start)]);
    const [account] = accounts as [number];
    const { heldMsat: _, ...node } = await ledger.balance(SYSTEM_ACCOUNTS.node);

    await inPieces(payments, ({ id, amountMsat, reserveMsat }) =>
      ledger.post({ holds: [{ id, account, amountMsat: amount(amountMsat), reserveMsat: amount(reserveMsat) }] }),
    );
    expect(await ledger.balance(account)).toMatchObject({ heldMsat: Number(reserved), spendableMsat: Number(left) });
    await inPieces(payments, ({ id, amountMsat, feeMsat }) => {
      const spend = (value: number) => ({ id: newId(), from: account, to: SYSTEM_ACCOUNTS.node, amountMsat: amount(value) });
      const transfers = feeMsat > 0 ? [spend(amountMsat), spend(feeMsat)] : [spend(amountMsat)];
      return ledger.post({ posts: [{ holdId: id, account, transfers }] });
    });

    const after = await ledger.balance(account);
    expect(after).toMatchObject({ balanceMsat: Number(start - spent), heldMsat: 0 });
    expect((await ledger.balance(SYSTEM_ACCOUNTS.node)).balanceMsat).toBe(Number(BigInt(node.balanceMsat) + spent));
    const rows = await database.all(entriesOf, account);
    expect(rows).toHaveLength(1 + payments.length + payments.filter(({ feeMsat }) => feeMsat > 0).length);
    // The API shows a row as the change of the balance in whole satoshis.
    const satoshis = rows.map((row) => {
      const before = row.side === 'from' ? row.balance_msat + row.amount_msat : row.balance_msat - row.amount_msat;
      return floorSat(msat(row.balance_msat)) - floorSat(msat(before));
    });
    expect(satoshis.reduce((sum, one) => sum + one, 0)).toBe(floorSat(after.balanceMsat));
    expect(await problemsOfLedger(database)).toEqual([]);
  });

  it('F8: does not book a transfer whose amount is not a positive safe integer, nor affects other postings of the batch', async () => {
    const database = await open();
    const { ledger, accounts } = await ledgerWith(database, [10_000, 0]);
    const [a, b] = accounts as [number, number];
    for (const [from, to] of [
      [a, b],
      [SYSTEM_ACCOUNTS.node, b],
    ] as const) {
      const transfer = (amountMsat: Msat) => ({ id: newId(), from, to, amountMsat });
      const before = await Promise.all([from, to].map((id) => ledger.balance(id)));
      const postings: Posting[] = NO_AMOUNTS.flatMap((wrong) => [
        { transfers: [transfer(wrong)] },
        // The valid transfer of an invalid posting is not booked either.
        { transfers: [transfer(amount(7)), transfer(wrong)] },
        { transfers: [transfer(amount(1))] },
      ]);
      const outcomes = await Promise.allSettled(postings.map((posting) => ledger.post(posting)));
      for (const [index, outcome] of outcomes.entries()) {
        expect(outcome.status, `posting ${index}`).toBe(index % 3 === 2 ? 'fulfilled' : 'rejected');
        if (outcome.status === 'rejected') expect(outcome.reason).not.toBeInstanceOf(Refusal);
      }
      const after = await Promise.all([from, to].map((id) => ledger.balance(id)));
      const moved = NO_AMOUNTS.length;
      expect(after.map(({ balanceMsat }, i) => balanceMsat - (before[i]?.balanceMsat ?? 0))).toEqual([-moved, moved]);
      expect(after.map(({ entries }, i) => entries - (before[i]?.entries ?? 0))).toEqual([moved, moved]);
    }
    expect(await problemsOfLedger(database)).toEqual([]);
  });

  for (const part of ['amount', 'reserve'] as const) {
    it(`F8: does not book a hold whose ${part} is negative or not a safe integer, nor affects other postings of the batch`, async () => {
      const database = await open();
      const { ledger, accounts } = await ledgerWith(database, [10_000]);
      const [account] = accounts as [number];
      const hold = (amountMsat: Msat, reserveMsat: Msat) => ledger.post({ holds: [{ id: newId(), account, amountMsat, reserveMsat }] });
      // A reserve may be 0, an amount may not.
      const wrongs = part === 'amount' ? NO_AMOUNTS : NO_AMOUNTS.filter((wrong) => wrong !== 0);
      const attempts = wrongs.map((wrong) => (part === 'amount' ? ([wrong, amount(5)] as const) : ([amount(5), wrong] as const)));
      const outcomes = await Promise.allSettled(attempts.flatMap(([value, reserve]) => [hold(value, reserve), hold(amount(1), amount(1))]));
      const answers = outcomes.map((outcome, index) => {
        if (index % 2 === 1) return outcome.status;
        const how = outcome.status === 'fulfilled' ? 'held' : outcome.reason instanceof Refusal ? 'refused' : 'a bug';
        return `${part} ${wrongs[index >> 1]}: ${how}`;
      });
      expect(answers).toEqual(wrongs.flatMap((wrong) => [`${part} ${wrong}: a bug`, 'fulfilled']));
      expect(await holdsIn(database)).toBe(attempts.length);
      expect(await ledger.balance(account)).toMatchObject({ balanceMsat: 10_000, heldMsat: attempts.length * 2 });
      expect(await problemsOfLedger(database)).toEqual([]);
    });
  }

  it('F8: does not post a hold for a wrong amount or for more than it reserved; it can still be posted for the right one', async () => {
    const database = await open();
    const { ledger, accounts } = await ledgerWith(database, [10_000]);
    const [account] = accounts as [number];
    await ledger.post({ holds: [{ id: 'h1', account, amountMsat: amount(1_000), reserveMsat: amount(10) }] });
    const post = (...amounts: Msat[]) =>
      ledger.post({
        posts: [
          {
            holdId: 'h1',
            account,
            transfers: amounts.map((amountMsat) => ({ id: newId(), from: account, to: SYSTEM_ACCOUNTS.node, amountMsat })),
          },
        ],
      });
    const wrong = [...NO_AMOUNTS.map((one) => [one]), [amount(1_011)], [amount(1_000), amount(11)], [amount(2_000), -1_000 as Msat]];
    const outcomes = await Promise.allSettled(wrong.map((amounts) => post(...amounts)));
    for (const outcome of outcomes) {
      expect(outcome.status).toBe('rejected');
      if (outcome.status === 'rejected') expect(outcome.reason).not.toBeInstanceOf(Refusal);
    }
    expect(await ledger.balance(account)).toMatchObject({ balanceMsat: 10_000, heldMsat: 1_010 });
    await post(amount(1_000), amount(10));
    expect(await ledger.balance(account)).toMatchObject({ balanceMsat: 8_990, heldMsat: 0 });
    expect(await problemsOfLedger(database)).toEqual([]);
  });

  it('F8: moves the largest safe amount exactly, and rejects more', async () => {
    const database = await open();
    const { ledger, accounts } = await ledgerWith(database, [MAX_MSAT - 1, 0, 1]);
    const [a, b, c] = accounts as [number, number, number];
    const outcomes = await Promise.allSettled([
      ledger.post({ transfers: [{ id: newId(), from: c, to: a, amountMsat: amount(1) }] }),
      ledger.post({ transfers: [{ id: newId(), from: a, to: b, amountMsat: MAX_MSAT }] }),
      ledger.post({ transfers: [{ id: newId(), from: SYSTEM_ACCOUNTS.routingFees, to: b, amountMsat: amount(1) }] }),
      ledger.post({ transfers: [{ id: newId(), from: SYSTEM_ACCOUNTS.node, to: a, amountMsat: amount(1) }] }),
      ledger.post({ transfers: [{ id: newId(), from: b, to: c, amountMsat: amount(1) }] }),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected', 'fulfilled']);
    for (const index of [2, 3]) expect(outcomes[index]).toMatchObject({ reason: { type: 'limit_exceeded' } });
    const balances = await Promise.all(accounts.map((id) => ledger.balance(id)));
    expect(balances.map(({ balanceMsat }) => balanceMsat)).toEqual([0, MAX_MSAT - 1, 1]);
    expect(await problemsOfLedger(database)).toEqual([]);
  });
});

/** Runs a task for every item, a thousand at a time. */
async function inPieces<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < items.length; start += 1_000) await Promise.all(items.slice(start, start + 1_000).map(work));
}
