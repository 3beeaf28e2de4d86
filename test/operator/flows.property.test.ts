import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { statement } from '../../src/core/db/statement.ts';
import { computeFlowHours, readFlow } from '../../src/features/operator/flows.ts';
import { onBothDatabases } from '../support/ledger.ts';

const HOUR = 3600;
const START = 1_700_000_000 - (1_700_000_000 % HOUR);
const signal = new AbortController().signal;

const insert = statement(
  'test_insert_transaction',
  `INSERT INTO wallet_transaction (position, id, wallet_id, ledger_account, account_id, type, status, amount_msat, entry, balance_msat, placed_at_ms,
     label, other_account) VALUES ($1, $2, 'wal_1', 10, 'acc_1', $3, $4, $5, $6, $7, $8, '', $9)`,
);

const clearing = ['wallet_transaction', 'flow_hour', 'node_flow_hour', 'service_fact'].map((table) =>
  statement(`test_clear_${table}`, `DELETE FROM ${table}`),
);

interface Row {
  /** Seconds after the row before it; a clock that is behind makes it negative. */
  readonly step: number;
  readonly type: string;
  readonly amountMsat: number;
  readonly other: number;
  readonly isSettled: boolean;
}

const row = fc.record<Row>({
  step: fc.oneof(fc.integer({ min: -30, max: 900 }), fc.integer({ min: 3600, max: 20_000 })),
  type: fc.constantFrom('ln_deposit', 'ln_withdrawal', 'network_fee', 'service_fee', 'ln_transfer_out'),
  amountMsat: fc.integer({ min: -5000, max: 5000 }).filter((amount) => amount !== 0),
  other: fc.constantFrom(1, -1, 3, 50),
  isSettled: fc.boolean(),
});

/** Sums the rows as the fields of the API are described. */
function slowFlow(rows: readonly (Row & { at: number })[], from: number, until: number) {
  const flow = { in_msat: 0, in_count: 0, out_msat: 0, out_count: 0, routing_msat: 0, earned_msat: 0 };
  for (const { at, type, amountMsat, other, isSettled } of rows) {
    if (!isSettled || at < from || at >= until) continue;
    if (other === 3) flow.earned_msat -= amountMsat;
    if (other > 1) continue;
    if (type === 'network_fee') flow.routing_msat -= amountMsat;
    if (amountMsat > 0) {
      flow.in_msat += amountMsat;
      flow.in_count += 1;
    } else if (type !== 'network_fee') {
      flow.out_msat -= amountMsat;
      flow.out_count += 1;
    }
  }
  return flow;
}

onBothDatabases('the hourly figures', (open) => {
  async function stored(database: Database, rows: readonly Row[]) {
    let at = START;
    const placed = rows.map((one, index) => {
      at += one.step;
      return { ...one, at, position: index * 3 + 2 };
    });
    await database.transaction(async (tx) => {
      for (const clear of clearing) await tx.run(clear);
      for (const { position, type, amountMsat, other, isSettled, at: seconds } of placed) {
        const [entry, balance] = isSettled ? [1, 1] : [null, null];
        const status = isSettled ? 'settled' : 'failed';
        await tx.run(insert, position, `wtx_${position}`, type, status, amountMsat, entry, balance, seconds * 1000, other);
      }
    });
    return placed;
  }

  it('are the sums of the bookings of each period, whenever the hours were computed', async () => {
    const database = await open();
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 30 }),
        fc.nat(40),
        fc.nat(20),
        fc.nat(3),
        async (rows, first, hours, later) => {
          const placed = await stored(database, rows);
          const last = Math.max(...placed.map(({ at }) => at));
          let now = START;
          const context = { database, clock: { nowMs: () => now * 1000 } };
          // The job runs at some times while the rows are in the past, and requests come up to three hours after it.
          for (const part of [0.3, 1]) {
            now = START + Math.max(0, Math.floor((last - START) * part));
            if (part === 1) now += later * 1200;
            while (await computeFlowHours(context, signal)) await undefined;
          }
          const [from, until] = [START - HOUR + first * HOUR, START + (first + hours) * HOUR];
          const past = placed.filter(({ at }) => at <= last);
          expect(await readFlow(context, from, until)).toEqual(slowFlow(past, from, until));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('are not known before the hours of the period were computed', async () => {
    const database = await open();
    await stored(database, [{ step: 0, type: 'ln_deposit', amountMsat: 5, other: 1, isSettled: true }]);
    const context = { database, clock: { nowMs: () => 1000 * (START + 30 * HOUR) } };
    expect(await readFlow(context, START, START + HOUR)).toBeUndefined();
    expect(await computeFlowHours(context, signal)).toBe(false);
    expect(await readFlow(context, START, START + HOUR)).toMatchObject({ in_msat: 5, in_count: 1 });
  });
});
