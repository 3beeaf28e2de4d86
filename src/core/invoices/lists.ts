import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SqlReader } from '../db/database.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { type Invoice, rowToInvoice } from './invoice.ts';
import * as sql from './invoices.sql.ts';

/** Whose open invoices a list contains: those of one wallet, by its ledger account, or those of all wallets of an account. */
export type InvoiceOwner = { readonly ledgerAccount: number } | { readonly accountId: string };

export interface OpenInvoiceQuery {
  /** `desc`: newest first. */
  readonly order: 'asc' | 'desc';
  /** The id of the invoice after which the list continues. */
  readonly after: string | undefined;
  readonly limit: number;
  matches(invoice: Invoice): boolean;
}

export interface OpenInvoices {
  readonly invoices: Invoice[];
  /** The last invoice that was read. */
  readonly last: Invoice | undefined;
  /** Whether the read ended before the end of the list, because it is limited. */
  readonly isCapped: boolean;
}

const READ_AT_ONCE = 500;
const MAX_READ = 20_000;

/** Returns invoices that can still be paid, in the order of their creation. Reads at most 20,000. */
export async function listOpenInvoices(
  { database, clock }: { database: SqlReader; clock: Clock },
  owner: InvoiceOwner,
  { order, after, limit, matches }: OpenInvoiceQuery,
): Promise<OpenInvoices> {
  const [statement, id] =
    'accountId' in owner ? [sql.listOpen.account[order], owner.accountId] : [sql.listOpen.wallet[order], owner.ledgerAccount];
  const invoices: Invoice[] = [];
  let last: Invoice | undefined;
  for (let read = 0; read < MAX_READ; ) {
    if (read > 0) await nextTurn();
    const wanted = Math.min(READ_AT_ONCE, limit - invoices.length);
    const cursor = last?.id ?? after ?? (order === 'desc' ? 'lntx_~' : '');
    const page = (await database.all(statement, id, unixSeconds(clock), cursor, wanted)).map(rowToInvoice);
    invoices.push(...page.filter(matches));
    last = page.at(-1) ?? last;
    if (page.length < wanted) return { invoices, last, isCapped: false };
    if (invoices.length >= limit) return { invoices, last, isCapped: true };
    read += page.length;
  }
  return { invoices, last, isCapped: true };
}

/** Returns the fields of invoices that a search compares. */
export function searchTextsOfInvoices(database: SqlReader, ids: readonly string[]): Promise<sql.InvoiceTextRow[]> {
  return ids.length === 0 ? Promise.resolve([]) : database.all(sql.searchTexts, ids);
}
