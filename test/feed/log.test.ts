import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { PERIODS_PER_DAY } from '../../src/core/db/retention.ts';
import { writeRows } from '../../src/core/db/row-write.ts';
import { statement } from '../../src/core/db/statement.ts';
import {
  createEventLog,
  type EventLog,
  type EventScope,
  eventId,
  type LoggedEvent,
  parsePositionId,
  START,
  UnknownCursor,
} from '../../src/core/journal/event-log.ts';
import { eventRow } from '../../src/core/journal/events.ts';
import { walletTransactionId } from '../../src/core/journal/wallet-transaction-id.ts';
import { findTransactions } from '../../src/core/journal/wallet-transactions.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { newId } from '../../src/core/kernel/ids.ts';
import { msat } from '../../src/core/kernel/money.ts';
import type { Posting } from '../../src/core/ledger/ledger.ts';
import type { Wallet } from '../../src/core/wallets/wallets.ts';
import { onBothDatabases } from '../support/ledger.ts';
import { modulesOn } from '../support/modules.ts';

/** A log with the modules that write to it, and wallets of one account. */
async function logOn(database: Database, retentionDays = 1) {
  const modules = await modulesOn(database);
  const wallets = [await modules.wallet(1_000_000), await modules.wallet(1_000_000), await modules.wallet(1_000_000)];
  return { modules, wallets, log: createEventLog(database, retentionDays) };
}

function transferOf(from: Wallet, to: Wallet): Posting {
  const transfer = { id: newId(), from: from.ledgerAccount, to: to.ledgerAccount, amountMsat: msat(1) };
  return { transfers: [{ ...transfer, fromType: 'ln_transfer_out', toType: 'ln_transfer_in' }] };
}

const noteOf = (wallet: Wallet, subject: string) =>
  eventRow(systemClock, { type: 'wallet_updated', owner: { ledgerAccount: wallet.ledgerAccount }, subject });

async function readAll(log: EventLog, scope: EventScope, limit: number, after = START): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = [];
  for (let position = after; ; ) {
    const part = await log.read({ scope }, position, limit);
    expect(part.events.length).toBeLessThanOrEqual(limit);
    events.push(...part.events);
    position = part.next;
    if (part.isEnd) return events;
  }
}

const shown = ({ type, subject, walletId }: LoggedEvent) => `${type} ${subject} ${walletId}`;

onBothDatabases('the event log', (open) => {
  it('has every event once, in the order of commits, through pages of any size (slow twin)', async () => {
    const { modules, wallets, log } = await logOn(await open());
    const expected: { type: string; subject: string; wallet: Wallet }[] = [];
    const before = await log.newest();
    const operation = fc.record({
      kind: fc.constantFrom('transfer', 'note', 'both'),
      a: fc.nat(2),
      b: fc.nat(1),
      limit: fc.integer({ min: 1, max: 7 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 8 }), async (operations) => {
        for (const { kind, a, b } of operations) {
          const [from, to] = [wallets[a], wallets[(a + 1 + b) % 3]] as [Wallet, Wallet];
          const posting = kind === 'note' ? {} : transferOf(from, to);
          const subject = newId();
          await modules.ledger.post({ ...posting, events: kind === 'transfer' ? [] : [noteOf(from, subject)] });
          const id = posting.transfers?.[0]?.id;
          const booked =
            id === undefined
              ? []
              : [
                  { type: 'wallet_transfer_out', subject: walletTransactionId(id, 'from'), wallet: from },
                  { type: 'wallet_transfer_in', subject: walletTransactionId(id, 'to'), wallet: to },
                ];
          // The events of a posting precede those of its transfers.
          if (kind !== 'transfer') expected.push({ type: 'wallet_updated', subject, wallet: from });
          expected.push(...booked);
        }
        const limit = operations[0]?.limit ?? 1;
        const all = await readAll(log, 'all', limit, before);
        expect(all.map(shown)).toEqual(expected.map(({ type, subject, wallet }) => `${type} ${subject} ${wallet.id}`));
        expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).toSorted());
        for (const wallet of wallets) {
          const own = all.filter(({ walletId }) => walletId === wallet.id);
          expect((await readAll(log, { walletId: wallet.id }, limit, before)).map(shown)).toEqual(own.map(shown));
        }
        for (const event of all) expect(await log.positionOf(event.id)).toBe(event.position);
      }),
      { numRuns: 15 },
    );
  });

  it('fills pages of a type that is rare among the events of a wallet, and of a wallet with many entries without an event', async () => {
    const { modules, wallets, log } = await logOn(await open());
    const [a, b] = wallets as [Wallet, Wallet];
    const before = await log.newest();
    const fee = (from: Wallet, to: Wallet): Posting => ({
      transfers: [{ id: newId(), from: from.ledgerAccount, to: to.ledgerAccount, amountMsat: msat(1), fromType: 'network_fee' }],
    });
    const rare: string[] = [];
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 6; j++) await modules.ledger.post(fee(a, b));
      await Promise.all(Array.from({ length: 700 }, () => modules.ledger.post(transferOf(a, b))));
      await modules.ledger.post({ events: [noteOf(a, `rare ${i}`)] });
      rare.push(`rare ${i}`);
    }
    const filter = { scope: { walletId: a.id }, types: new Set(['wallet_updated'] as const) };
    const all = await log.read(filter, before, 10);
    expect(all.events.map(({ subject }) => subject)).toEqual(rare);
    expect(all.isEnd).toBe(true);
    const first = await log.read(filter, before, 2);
    expect(first.events.map(({ subject }) => subject)).toEqual(rare.slice(0, 2));
    expect(first.isEnd).toBe(false);
    const second = await log.read(filter, first.next, 2);
    expect(second.events.map(({ subject }) => subject)).toEqual(rare.slice(2));
    expect(second.isEnd).toBe(true);
    expect((await log.read({ scope: { walletId: a.id } }, before, 5)).events).toHaveLength(5);
  });

  it('never skips an event of a transaction that commits late, nor waits for one that was rolled back', async () => {
    const database = await open();
    const { modules, wallets, log } = await logOn(database);
    const [a, b] = wallets as [Wallet, Wallet];
    let done = false;
    let failures = 0;
    const write = async (index: number) => {
      for (let i = 0; i < 40; i++) {
        const fails = i % 5 === index;
        const work = database.transaction(async (tx) => {
          await writeRows(tx, [noteOf(i % 2 ? a : b, `${index} ${i}`)]);
          await new Promise((resolve) => setTimeout(resolve, (i * 7 + index * 3) % 5));
          if (fails) throw new Error('rolled back');
        });
        await work.catch(() => {
          failures += 1;
        });
        await modules.ledger.post(transferOf(a, b));
      }
    };
    const seen: LoggedEvent[] = [];
    const read = async () => {
      for (let position = START; ; ) {
        const wasDone = done;
        // SQLite reads without a turn of the event loop.
        await nextTurn();
        const part = await log.read({ scope: 'all' }, position, 50);
        seen.push(...part.events);
        position = part.next;
        if (wasDone && part.isEnd) return;
      }
    };
    const reading = read();
    await Promise.all([write(0), write(1), write(2)]);
    done = true;
    await reading;
    expect(failures).toBe(24);
    const ids = seen.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].toSorted());
    expect(ids).toEqual((await readAll(log, 'all', 1000)).map(({ id }) => id));
    expect(seen.filter(({ type }) => type === 'wallet_updated')).toHaveLength(3 * 40 - failures);
    // The order of a wallet's bookings is that of its ledger entries.
    const booked = seen.filter(({ walletId, subject }) => walletId === a.id && subject.startsWith('wtx_'));
    const rows = new Map(
      (
        await findTransactions(
          database,
          booked.map(({ subject }) => subject),
        )
      ).map((row) => [row.id, row]),
    );
    const entries = booked.map(({ subject }) => rows.get(subject)?.entry ?? 0);
    expect(entries).toEqual(entries.map((_, index) => index + (entries[0] ?? 0)));
  });

  it('has no event of a transaction that has not ended, and none after it', async () => {
    const database = await open();
    if (database.dialect === 'sqlite') return;
    const { modules, wallets, log } = await logOn(database);
    const [a, b] = wallets as [Wallet, Wallet];
    const before = await log.newest();
    const stuck = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const writing = database.transaction(async (tx) => {
      await writeRows(tx, [noteOf(a, 'stuck')]);
      begun.resolve();
      await stuck.promise;
    });
    await begun.promise;
    const later = modules.ledger.post(transferOf(a, b));
    expect(await log.newest()).toBe(before);
    stuck.resolve();
    await Promise.all([writing, later]);
    const types = (await readAll(log, 'all', 10, before)).map(({ type }) => type);
    expect(types).toEqual(['wallet_updated', 'wallet_transfer_out', 'wallet_transfer_in']);
  });

  it('lets events expire after the retention time, and reports their cursors', async () => {
    const database = await open();
    const { modules, wallets, log } = await logOn(database);
    const [a, b] = wallets as [Wallet, Wallet];
    const note = async (subject: string) => modules.ledger.post({ events: [noteOf(a, subject)] });
    await note('first');
    await modules.ledger.post(transferOf(a, b));
    const [first] = (await readAll(log, 'all', 100)).filter(({ subject }) => subject === 'first');
    await log.endRetentionPeriod();
    await log.endRetentionPeriod();
    await note('second');
    await modules.ledger.post(transferOf(a, b));
    for (let round = 1; round < PERIODS_PER_DAY; round++) await log.endRetentionPeriod();
    expect((await readAll(log, 'all', 100, await log.oldest())).length).toBeGreaterThan(3);
    await log.endRetentionPeriod();
    const left = await readAll(log, 'all', 100, await log.oldest());
    expect(left.map(({ subject }) => subject)).toContain('second');
    expect(left.map(({ subject }) => subject)).not.toContain('first');
    await expect(log.read({ scope: 'all' }, START, 10)).rejects.toThrow(UnknownCursor);
    await expect(log.read({ scope: { walletId: a.id } }, START, 10)).rejects.toThrow(UnknownCursor);
    const stored = statement<{ n: number }>('test_stored_events', 'SELECT count(*) AS n FROM event');
    // The newest event before the last rounds stays.
    expect((await database.first(stored))?.n).toBeGreaterThanOrEqual(3);
    await expect(log.positionOf(first?.id ?? '')).rejects.toThrow(UnknownCursor);
  });
});

it('an event id contains its position and its time, and sorts by the position', () => {
  const part = fc.integer({ min: 0, max: 62 ** 8 - 1 });
  fc.assert(
    fc.property(part, part, part, (a, b, ms) => {
      expect(parsePositionId('evt', eventId(a, ms))).toEqual({ position: a, createdAtMs: ms });
      const [idA, idB] = [eventId(a, ms), eventId(b, ms)];
      expect(Math.sign(a - b)).toBe(idA < idB ? -1 : idA > idB ? 1 : 0);
    }),
  );
  fc.assert(fc.property(fc.string(), (text) => void parsePositionId('evt', text)));
});
