import type { WalletTransaction } from '../../../../client/satchel.js';
import { shortKey } from '../../parts/short-key.ts';
import { textOfDay } from './filters.ts';

/** A row of the table: a transaction, with the routing fee of a payment. */
export interface Row {
  readonly transaction: WalletTransaction;
  readonly fee: WalletTransaction | undefined;
}

/** Folds the fees under their payments. A fee whose payment is on another page is left out there, because the payment shows it as well. */
export function foldFees(transactions: readonly WalletTransaction[]): Row[] {
  const fees = new Map(transactions.filter(isFee).map((fee) => [fee.passThru.source_transaction, fee]));
  return transactions.filter((one) => !isFee(one)).map((transaction) => ({ transaction, fee: fees.get(transaction.id) }));
}

function isFee({ wtxType, passThru }: WalletTransaction): boolean {
  return wtxType.name === 'network_fee' && typeof passThru.source_transaction === 'string';
}

/** Returns the receiver in the label that the service gives to a keysend; undefined for a label of a person. */
export function keysendReceiver(label: string | null | undefined): string | undefined {
  return /^\d+ keysend to (0[23][0-9a-f]{64})$/.exec(label ?? '')?.[1];
}

/** Returns the receiver of a payment: its Lightning address, or the host of its LNURL. Otherwise it is the ends of the public key of its node. */
export function receiverOf({ num_msat, passThru, lnTx }: WalletTransaction): { readonly name?: string; readonly key?: string } {
  if (num_msat >= 0 || lnTx === null) return {};
  const name = [passThru.ln_address, passThru.lnurl_domain].find((one) => typeof one === 'string' && one !== '');
  return { ...(typeof name === 'string' && { name }), ...(lnTx.dest_pubkey !== '' && { key: shortKey(lnTx.dest_pubkey) }) };
}

/** Groups rows that follow one another by the day of the browser's time zone. */
export function groupByDay(rows: readonly Row[]): { day: string; rows: Row[] }[] {
  const groups: { day: string; rows: Row[] }[] = [];
  for (const row of rows) {
    const day = textOfDay(new Date(row.transaction.created_at * 1000));
    const group = groups.at(-1);
    if (group?.day === day) group.rows.push(row);
    else groups.push({ day, rows: [row] });
  }
  return groups;
}

/** A list that stays in place while a person reads it. */
export interface HeldList {
  readonly shown: readonly WalletTransaction[];
  /** The number of transactions that are not shown yet. */
  readonly newCount: number;
  /** There may be more new ones: the whole first page is new. */
  readonly isMore?: boolean;
}

/**
 * Returns the list to show while no row may be inserted: the rows of `shown` in their present state, without those that no longer belong to the
 * list. `present` is the first page of the list now, and `pageSize` the most items that it can have.
 */
export function holdList(shown: readonly WalletTransaction[], present: readonly WalletTransaction[], pageSize: number): HeldList {
  const ids = new Set(shown.map(({ id }) => id));
  const known = present.filter(({ id }) => ids.has(id));
  const newCount = foldFees(present.filter(({ id }) => !ids.has(id))).length;
  if (present.length < pageSize) return { shown: known, newCount };
  if (known.length === 0) return { shown, newCount, isMore: true };
  // New transactions have moved the last ones to the next page.
  const lastKnown = shown.findLastIndex(({ id }) => known.some((one) => one.id === id));
  return { shown: [...known, ...shown.slice(lastKnown + 1)], newCount };
}
