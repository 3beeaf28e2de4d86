import { setImmediate as nextCycle } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { newId } from '../../src/core/kernel/ids.ts';
import { PER_TURN } from '../../src/core/kernel/turns.ts';
import { amount, ledgerWith, onBothDatabases, problemsOf } from '../support/ledger.ts';

const LINES = 5 * PER_TURN.lines;

onBothDatabases('postings of many lines', (open, dialect) => {
  it('books a short posting between two long ones that were added before it', async () => {
    const database = await open();
    const { ledger, accounts } = await ledgerWith(database, [1_000_000, 0, 1000]);
    const [from = 0, to = 0, other = 0] = accounts;
    const transfer = (payer: number) => ({ id: newId(), from: payer, to, amountMsat: amount(1) });
    const long = () => ({ transfers: Array.from({ length: LINES }, () => transfer(from)) });
    const order: string[] = [];
    const post = async (name: string, posting: { transfers: ReturnType<typeof transfer>[] }) => {
      await ledger.post(posting);
      order.push(name);
    };
    await Promise.all([
      post('long', long()),
      post('long', long()),
      post('long', long()),
      post('long', long()),
      post('short', { transfers: [transfer(other)] }),
    ]);
    // PostgreSQL commits two batches at the same time, in the order in which they lock the account that they share.
    if (dialect === 'sqlite') expect(order.indexOf('short')).toBeLessThanOrEqual(1);
    expect((await ledger.balance(to)).balanceMsat).toBe(4 * LINES + 1);
    expect(await problemsOf(database)).toEqual([]);
  });

  // On PostgreSQL, only the calculation takes the thread.
  it.runIf(dialect === 'sqlite')('lets reads run while a long posting is booked, which see nothing of it before its commit', async () => {
    const database = await open();
    const { ledger, accounts } = await ledgerWith(database, [1_000_000, 0]);
    const [from = 0, to = 0] = accounts;
    let isBooked = false;
    const booking = ledger
      .post({ transfers: Array.from({ length: LINES }, () => ({ id: newId(), from, to, amountMsat: amount(1) })) })
      .then(() => {
        isBooked = true;
      });
    let reads = 0;
    while (!isBooked) {
      await nextCycle();
      const { balanceMsat } = await ledger.balance(to);
      expect([0, LINES]).toContain(balanceMsat);
      if (!isBooked) reads += 1;
    }
    await booking;
    // One before each part but the first, at least: the hashes and the rows of five parts.
    expect(reads).toBeGreaterThanOrEqual(LINES / PER_TURN.lines - 1);
    expect(await problemsOf(database)).toEqual([]);
  });
});
