import { qualified, readData, readFlag, readHash, readInteger, readText, readTime, selectList } from '../columns.ts';
import { type SourceHistoryRow, UnusableSource } from '../source.ts';
import type { SourceDatabase, SourceRow } from '../source-database.ts';
import type { HubTables } from './tables.ts';

/** Alby Hub keeps invoices that were never paid. A payment that arrives this long after the end of one is not expected any more. */
const LATE_SECONDS = 7 * 86_400;

/** Reads the transactions of all isolated apps, by app and from old to new. */
export async function* readHistory(database: SourceDatabase, tables: HubTables): AsyncIterable<SourceHistoryRow> {
  const { apps, transactions, epoch, newest, otherNode } = tables;
  const { id, appId, fee, reserve, createdAt, expiresAt, settledAt, ...columns } = transactions;
  const times = { createdAt: epoch(`t.${createdAt}`), expiresAt: epoch(`t.${expiresAt}`), settledAt: epoch(`t.${settledAt}`) };
  const selected = {
    id: `t.${id}`,
    appId: `CAST(t.${appId} AS TEXT)`,
    ...Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, qualified('t', column)])),
    fees: `coalesce(t.${fee}, 0) + coalesce(t.${reserve}, 0)`,
    ...times,
    isOver: `coalesce(${times.expiresAt}, ${times.createdAt}) < ${newest} - ${LATE_SECONDS}`,
  };
  // Ids ascend with time.
  const sql = `SELECT ${selectList(selected)} FROM transactions t JOIN apps a ON a.${apps.id} = t.${appId} AND a.${apps.isolated}
    ORDER BY ${database.bytewise(selected.appId)}, t.${id}`;
  for await (const row of database.rows(sql)) yield rowOfHistory(row, otherNode === undefined);
}

function rowOfHistory(row: SourceRow, hasNode: boolean): SourceHistoryRow {
  const id = readText(row, 'id') ?? '';
  const where = `transaction ${id}`;
  return {
    id,
    walletId: readText(row, 'appId') ?? '',
    kind: readFlag(row, 'selfPayment') ? 'internal' : 'lightning',
    ...stateAndAmounts(row, where, hasNode),
    memo: readText(row, 'description') ?? '',
    createdAt: readTime(row, 'createdAt', where) ?? 0,
    settledAt: readTime(row, 'settledAt', where),
    expiresAt: readTime(row, 'expiresAt', where),
    paymentHash: readHash(row, 'paymentHash'),
    preimage: readHash(row, 'preimage'),
    paymentRequest: readText(row, 'paymentRequest'),
    data: {
      ...readData(row, ['metadata', 'boostagram', 'descriptionHash', 'failureReason']),
      ...(readFlag(row, 'hold') && { hold: true }),
    },
  };
}

function stateAndAmounts(row: SourceRow, where: string, hasNode: boolean): Pick<SourceHistoryRow, 'state' | 'amountMsat' | 'feeMsat'> {
  const amountMsat = readInteger(row, 'amount', where);
  const type = readText(row, 'type');
  if (type === 'outgoing') {
    const state = stateOf(row, where, { SETTLED: 'settled', PENDING: 'pending', FAILED: 'failed' });
    const feeMsat = state === 'failed' ? 0 : readInteger(row, 'fees', where);
    return { state, amountMsat: -amountMsat, feeMsat };
  }
  if (type !== 'incoming') throw new UnusableSource(`${where}: type must be incoming or outgoing. ${NEWER}`);
  // The app of a hold invoice settles it over its connection, which ends with the hub.
  const isPayable = readHash(row, 'paymentHash') !== undefined && readText(row, 'paymentRequest') !== undefined;
  const isOpen = isPayable && hasNode && !readFlag(row, 'hold') && !readFlag(row, 'isOver');
  const state = stateOf(row, where, { SETTLED: 'settled', PENDING: isOpen ? 'open' : 'failed', FAILED: 'failed', ACCEPTED: 'failed' });
  // The hub bears what its node has charged for a receipt.
  return { state, amountMsat, feeMsat: 0 };
}

const NEWER = 'Use a version of Satchel that knows this version of Alby Hub.';

function stateOf(row: SourceRow, where: string, states: Readonly<Record<string, SourceHistoryRow['state']>>): SourceHistoryRow['state'] {
  const state = states[readText(row, 'state') ?? ''];
  if (state !== undefined) return state;
  throw new UnusableSource(`${where}: state must be one of ${Object.keys(states).join(', ')}. ${NEWER}`);
}
