import type { SqlReader } from '../db/database.ts';
import * as sql from './invoices.sql.ts';

/** An invoice that was neither paid nor canceled. It may have expired. */
export interface UnsettledInvoice {
  readonly id: string;
  readonly state: 'open' | 'closing';
  /** Unix seconds. */
  readonly expiresAt: number;
}

/** Returns unsettled invoices of a wallet that were created before the id `before`, newest first. */
export async function listUnsettledOfWallet(
  database: SqlReader,
  ledgerAccount: number,
  before: string,
  limit: number,
): Promise<UnsettledInvoice[]> {
  return (await database.all(sql.listOpenOfWallet, ledgerAccount, before, limit)).map(toUnsettled);
}

/** Returns the same of all wallets, with the account of each. */
export async function listUnsettledOfAll(
  database: SqlReader,
  before: string,
  limit: number,
): Promise<(UnsettledInvoice & { accountId: string })[]> {
  const rows = await database.all(sql.listOpenOfAll, before, limit);
  return rows.map((row) => ({ ...toUnsettled(row), accountId: row.account_id }));
}

/** Returns the fields of invoices that a search compares. */
export function searchTextsOfInvoices(database: SqlReader, ids: readonly string[]): Promise<sql.InvoiceTextRow[]> {
  return ids.length === 0 ? Promise.resolve([]) : database.all(sql.searchTexts, ids);
}

function toUnsettled({ id, state, expires_at: expiresAt }: sql.OpenInvoiceRow): UnsettledInvoice {
  return { id, state, expiresAt };
}
