import type { Database } from '../../core/db/database.ts';
import type { WalletTransactionRow } from '../../core/journal/wallet-transactions.ts';
import type { Wallets } from '../../core/wallets/wallets.ts';
import { lightningIds, transferIdOf } from './complete.ts';
import { passThruOf } from './lightning-transaction-object.ts';
import { storedTexts } from './transactions.sql.ts';
import { isTransfer } from './wallet-transaction.ts';

/** The search terms of a list; undefined matches everything. */
export interface Search {
  /** A part of the label; case is ignored. */
  readonly label?: string | undefined;
  /** Top-level fields of `passThru` and their values, all of which must match. */
  readonly passThru?: Readonly<Record<string, string>> | undefined;
}

/** The texts of a transaction that a search compares. */
interface Texts {
  readonly label: string;
  /** JSON text. */
  readonly passThru: string | undefined;
  /** The wallet ids of a transfer, as fields of `passThru`. */
  readonly derived?: Readonly<Record<string, string | undefined>>;
}

const SOURCE = 'source_wallet_id';
const DESTINATION = 'dest_wallet_id';

/** Returns whether a search restricts a list. */
export function isSearch({ label, passThru }: Search): boolean {
  return label !== undefined || Object.keys(passThru ?? {}).length > 0;
}

/** Returns whether texts match a search. */
export function matchesSearch(texts: Texts, { label, passThru = {} }: Search): boolean {
  if (label !== undefined && !texts.label.toLowerCase().includes(label.toLowerCase())) return false;
  return Object.entries(passThru).every(([name, value]) => hasPair(texts, name, value));
}

function hasPair({ passThru, derived }: Texts, name: string, value: string): boolean {
  if (derived && Object.hasOwn(derived, name)) return derived[name] === value;
  // Parsing is expensive, and a text that does not contain the value cannot match.
  if (!passThru?.includes(JSON.stringify(value).slice(1, -1))) return false;
  const fields = JSON.parse(passThru) as Record<string, unknown>;
  if (!Object.hasOwn(fields, name)) return false;
  const found = fields[name];
  return typeof found !== 'object' && String(found) === value;
}

/** Returns a function that compares rows with a search. It reads `passThru` only if the search needs it. */
export function rowSearch({ database, wallets }: { database: Database; wallets: Wallets }, search: Search) {
  const names = Object.keys(search.passThru ?? {});
  const needsWallets = names.includes(SOURCE) || names.includes(DESTINATION);
  return async (rows: readonly WalletTransactionRow[]): Promise<boolean[]> => {
    if (names.length === 0) return rows.map(({ label }) => matchesSearch({ label, passThru: undefined }, search));
    const passThruOfRow = await readPassThru(database, rows);
    const others = await wallets.ownersOf(needsWallets ? rows.flatMap((row) => (isTransfer(row) ? (row.other_account ?? []) : [])) : []);
    return rows.map((row) => {
      const { label, wallet_id: own, amount_msat: amountMsat } = row;
      const texts = { label, passThru: passThruOfRow(row) };
      if (!needsWallets || !isTransfer(row)) return matchesSearch(texts, search);
      const other = others.get(row.other_account ?? 0);
      const derived = amountMsat < 0 ? { [SOURCE]: own, [DESTINATION]: other } : { [SOURCE]: other, [DESTINATION]: own };
      return matchesSearch({ ...texts, derived }, search);
    });
  };
}

async function readPassThru(
  database: Database,
  rows: readonly WalletTransactionRow[],
): Promise<(row: WalletTransactionRow) => string | undefined> {
  const transfers = rows.filter(({ status }) => status === 'settled').map(transferIdOf);
  const texts = await database.all(storedTexts, [...lightningIds(rows, 'out'), ...lightningIds(rows, 'in')], transfers);
  const byId = new Map(texts.map(({ id, pass_thru }) => [id, pass_thru]));
  return (row) => {
    const own = byId.get(transferIdOf(row)) ?? byId.get(row.lntx ?? '') ?? undefined;
    return passThruOf({ passThru: own, wtxType: row.type });
  };
}
