import type { Database } from '../../core/db/database.ts';
import { searchTextsOfInvoices } from '../../core/invoices/lists.ts';
import { searchTextsOfPayments } from '../../core/payments/lists.ts';
import type { Wallets } from '../../core/wallets/wallets.ts';
import { passThruOf } from './lightning-transaction.ts';
import type { Line } from './list.ts';
import { isTransfer } from './wallet-transaction.ts';

/** The search terms of a list; undefined matches everything. */
export interface Search {
  /** A part of the label; case is ignored. */
  readonly label?: string | undefined;
  /** Top-level fields of `passThru` and their values, all of which must match. */
  readonly passThru?: Readonly<Record<string, string>> | undefined;
}

/** Reads the search texts of a piece, and returns a function that matches its lines. */
export type LineSearch = (lines: readonly Line[]) => Promise<(line: Line) => boolean>;

interface Texts {
  readonly label: string;
  /** JSON text. */
  readonly passThru: string | undefined;
  /** The wallet ids of a transfer, as fields of `passThru`. */
  readonly derived?: Readonly<Record<string, string | undefined>>;
}

/** Returns the search of a list; undefined if everything matches. Labels and `passThru` have no index, so the search reads piece by piece. */
export function lineSearch(deps: { database: Database; wallets: Wallets }, { label, passThru }: Search): LineSearch | undefined {
  const pairs = Object.entries(passThru ?? {});
  if (label === undefined && pairs.length === 0) return undefined;
  const wanted = label?.toLowerCase();
  const needsWallets = pairs.some(([name]) => name === SOURCE || name === DESTINATION);
  return async (lines) => {
    const textsOf = await readTexts(deps, lines, needsWallets);
    return (line) => {
      const texts = textsOf(line);
      if (wanted !== undefined && !texts.label.toLowerCase().includes(wanted)) return false;
      return pairs.every(([name, value]) => hasPair(texts, name, value));
    };
  };
}

const SOURCE = 'source_wallet_id';
const DESTINATION = 'dest_wallet_id';

function hasPair({ passThru, derived }: Texts, name: string, value: string): boolean {
  if (derived && Object.hasOwn(derived, name)) return derived[name] === value;
  // Parsing is expensive, and a text that does not contain the value cannot match.
  if (!passThru?.includes(JSON.stringify(value).slice(1, -1))) return false;
  const fields = JSON.parse(passThru) as Record<string, unknown>;
  if (!Object.hasOwn(fields, name)) return false;
  const found = fields[name];
  return typeof found !== 'object' && String(found) === value;
}

async function readTexts(
  { database, wallets }: { database: Database; wallets: Wallets },
  lines: readonly Line[],
  needsWallets: boolean,
): Promise<(line: Line) => Texts> {
  const entries = lines.flatMap((line) => ('entry' in line ? [line.entry] : []));
  const idsOf = (side: 'from' | 'to') => entries.flatMap(({ entry }) => (entry.side === side && entry.lntx !== null ? [entry.lntx] : []));
  const [paid, received, others] = await Promise.all([
    searchTextsOfPayments(database, idsOf('from')),
    searchTextsOfInvoices(database, idsOf('to')),
    wallets.ownersOf(needsWallets ? entries.flatMap(({ entry }) => (isTransfer(entry) ? [entry.other_account] : [])) : []),
  ]);
  const behind = new Map([...paid, ...received].map((row) => [row.id, row]));
  return (line) => {
    if ('payment' in line) return { label: line.payment.userLabel, passThru: passThruOf(line.payment) };
    if ('invoice' in line) return { label: line.invoice.memo, passThru: line.invoice.passThru };
    const { entry, walletId } = line.entry;
    const row = behind.get(entry.lntx ?? '');
    const passThru = passThruOf({ passThru: entry.pass_thru ?? row?.pass_thru ?? undefined, wtxType: entry.type });
    const texts = { label: row?.label ?? entry.memo ?? '', passThru };
    if (!needsWallets || !isTransfer(entry)) return texts;
    const other = others.get(entry.other_account);
    const derived = entry.side === 'from' ? { [SOURCE]: walletId, [DESTINATION]: other } : { [SOURCE]: other, [DESTINATION]: walletId };
    return { ...texts, derived };
  };
}
