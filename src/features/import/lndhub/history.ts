import { jsonOrText, qualified, readFlag, readHash, readInteger, readText, readTime, selectList } from '../columns.ts';
import { type SourceHistoryRow, UnusableSource } from '../source.ts';
import type { SourceDatabase, SourceRow } from '../source-database.ts';
import { type LndhubTables, NET_OF_INVOICES, NEWEST } from './tables.ts';

/** lndhub.go keeps invoices that were never paid. A payment that arrives this long after the end of one is not expected any more. */
const LATE = "interval '7 days'";

/** Reads all invoices and payments, by user and from old to new, with what the entries say about each. */
export async function* readHistory(database: SourceDatabase, { invoices }: LndhubTables): AsyncIterable<SourceHistoryRow> {
  const { id, type, userId, rHash, createdAt, expiresAt, settledAt, state } = invoices;
  const epoch = (column: string) => `extract(epoch FROM ${column})`;
  const selected = {
    id: `i.${id}`,
    userId: `coalesce(i.${userId}, net.user_id)`,
    entryOf: 'net.invoice_id',
    type: `i.${type}`,
    state: `i.${state}`,
    amount: `coalesce(i.${invoices.amount}, 0)`,
    net: 'coalesce(net.net, 0)',
    memo: `i.${invoices.memo}`,
    descriptionHash: `i.${invoices.descriptionHash}`,
    paymentRequest: `i.${invoices.paymentRequest}`,
    rHash: `i.${rHash}`,
    preimage: `i.${invoices.preimage}`,
    errorMessage: `i.${invoices.errorMessage}`,
    createdAt: epoch(`coalesce(i.${createdAt}, net.created_at)`),
    expiresAt: epoch(`i.${expiresAt}`),
    settledAt: epoch(`i.${settledAt}`),
    isOver: `coalesce(i.${expiresAt}, i.${createdAt} + interval '1 day') < ${NEWEST} - ${LATE}`,
    isInternal: `coalesce(i.${invoices.internal}, false) OR (i.${type} = 'outgoing' AND EXISTS (
      SELECT 1 FROM public.invoices t WHERE t.${rHash} = i.${rHash} AND t.${type} = 'incoming' AND t.${invoices.internal}))`,
    keysend: qualified('i', invoices.keysend),
    customRecords: qualified('i', invoices.customRecords),
  };
  const sql = `SELECT ${selectList(selected)} FROM public.invoices i
    FULL JOIN (${NET_OF_INVOICES}) net ON net.invoice_id = i.${id} AND net.user_id = i.${userId}
    ORDER BY ${database.bytewise(`CAST(coalesce(i.${userId}, net.user_id) AS TEXT)`)}, coalesce(i.${createdAt}, net.created_at), i.${id}, net.invoice_id`;
  for await (const row of database.rows(sql)) yield rowOfHistory(row);
}

function rowOfHistory(row: SourceRow): SourceHistoryRow {
  const id = readText(row, 'id');
  const where = `invoice ${id ?? readText(row, 'entryOf')}`;
  const walletId = readText(row, 'userId') ?? '';
  const netMsat = readMsat(row, 'net', where);
  const createdAt = readTime(row, 'createdAt', where) ?? 0;
  // Entries of an invoice that was deleted, or belongs to another user.
  if (id === undefined)
    return { id: `entries/${walletId}/${readText(row, 'entryOf')}`, walletId, state: 'settled', ...booking(netMsat), memo: '', createdAt };
  const common = { id, walletId, memo: readText(row, 'memo') ?? '', createdAt, ...details(row, where) };
  const { state, ...amounts } = readText(row, 'type') === 'outgoing' ? paymentOf(row, netMsat, where) : invoiceOf(row, netMsat, where);
  return { ...common, kind: readFlag(row, 'isInternal') ? 'internal' : 'lightning', state, ...amounts };
}

type StateAndAmounts = Pick<SourceHistoryRow, 'state' | 'amountMsat' | 'feeMsat'> & { kind?: 'other' };

function booking(amountMsat: number): { readonly kind: 'other'; readonly amountMsat: number; readonly feeMsat: number } {
  return { kind: 'other', amountMsat, feeMsat: 0 };
}

/** A payment takes its amount, its service fee and a reserve for the routing fee at once, and returns what it did not need. */
function paymentOf(row: SourceRow, netMsat: number, where: string): StateAndAmounts {
  const amountMsat = readMsat(row, 'amount', where);
  const taken = { amountMsat: -amountMsat, feeMsat: -netMsat - amountMsat };
  const state = requireState(row, ['settled', 'initialized', 'open', 'error'], where);
  if (netMsat === 0 && state !== 'settled') return { state: 'failed', amountMsat: -amountMsat, feeMsat: 0 };
  // The entries count, whatever the invoice says.
  if (taken.feeMsat < 0) return { state: 'settled', ...booking(netMsat) };
  // A failure that was not returned to the user is a part of the balance that lndhub.go shows.
  return { state: state === 'initialized' || state === 'open' ? 'pending' : 'settled', ...taken };
}

function invoiceOf(row: SourceRow, netMsat: number, where: string): StateAndAmounts {
  const amountMsat = readMsat(row, 'amount', where);
  const state = requireState(row, ['settled', 'initialized', 'open', 'error', 'accepted', 'canceled'], where);
  if (state === 'settled' || netMsat !== 0) return { state: 'settled', amountMsat: netMsat, feeMsat: 0 };
  const isPayable = readHash(row, 'rHash') !== undefined && readText(row, 'paymentRequest') !== undefined;
  const isOpen = (state === 'open' || state === 'accepted') && isPayable && !readFlag(row, 'isOver');
  return { state: isOpen ? 'open' : 'failed', amountMsat, feeMsat: 0 };
}

function requireState(row: SourceRow, known: readonly string[], where: string): string {
  const state = readText(row, 'state') ?? '';
  if (known.includes(state)) return state;
  throw new UnusableSource(
    `${where}: state must be one of ${known.join(', ')}. Use a version of Satchel that knows this version of lndhub.go.`,
  );
}

function details(row: SourceRow, where: string): Partial<SourceHistoryRow> {
  const fields = ['descriptionHash', 'errorMessage', 'keysend', 'customRecords', 'state'] as const;
  return {
    settledAt: readTime(row, 'settledAt', where),
    expiresAt: readTime(row, 'expiresAt', where),
    paymentHash: readHash(row, 'rHash'),
    preimage: readHash(row, 'preimage'),
    paymentRequest: readText(row, 'paymentRequest'),
    data: Object.fromEntries(fields.flatMap((name) => dataOf(name, readText(row, name)))),
  };
}

function dataOf(name: string, text: string | undefined): [string, unknown][] {
  if (text === undefined || text === 'f') return [];
  if (name === 'keysend') return [[name, true]];
  return [[name, name === 'customRecords' ? jsonOrText(text) : text]];
}

/** Returns msat of a column in whole satoshis. @throws UnusableSource */
export function readMsat(row: SourceRow, name: string, where: string): number {
  const msat = readInteger(row, name, where) * 1000;
  if (Number.isSafeInteger(msat)) return msat;
  throw new UnusableSource(`${where}: ${name} must be at most 9007199254740 sat.`);
}
