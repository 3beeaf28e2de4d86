import type { Database, SqlReader } from '../../core/db/database.ts';
import { writeRows } from '../../core/db/row-write.ts';
import { newId } from '../../core/kernel/ids.ts';
import { requireGuards } from '../../core/ledger/ledger.ts';
import type { RequestOptions } from '../reconcile/requests.ts';
import * as sql from './operator.sql.ts';

/** The price of a bitcoin that the operator has set. It is only for display: no amount, limit or fee is ever computed from it. */
export interface FiatRate {
  /** An ISO 4217 code. */
  readonly currency: string;
  /** The price of one bitcoin: decimal text, stored as it was sent. */
  readonly perBtc: string;
  /** Unix seconds. */
  readonly setAt: number;
}

/** Above 0, with at most 15 digits before and 8 after the point. It has one form: no sign, no exponent, no leading zeros. */
export const PER_BTC_PATTERN = '^(?=.*[1-9])(0|[1-9][0-9]{0,14})(\\.[0-9]{1,8})?$';

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** Returns whether a text is an ISO 4217 code, in capital letters. */
export function isCurrency(code: string): boolean {
  return CURRENCIES.has(code);
}

/** Returns the rate; undefined if none is set. */
export async function readFiatRate(database: SqlReader): Promise<FiatRate | undefined> {
  return toRate(await database.first(sql.findRate));
}

/** Returns the rate that a change has set; undefined if it removed the rate. */
export async function findChangedRate(database: SqlReader, id: string): Promise<FiatRate | undefined> {
  return toRate(await database.first(sql.findRateChange, id));
}

/** Sets the rate, or removes it if it is undefined. @returns the id of the change, `opa_…` */
export async function changeFiatRate(
  database: Database,
  rate: Omit<FiatRate, 'setAt'> | undefined,
  { requestedBy, now }: { readonly requestedBy: string; readonly now: number },
  { guards = [], extraRows = () => [] }: RequestOptions = {},
): Promise<string> {
  const id = `opa_${newId()}`;
  await database.transaction(async (tx) => {
    await requireGuards(tx, guards);
    await tx.run(sql.insertRateChange, id, rate?.currency ?? null, rate?.perBtc ?? null, now, requestedBy);
    await writeRows(tx, extraRows(id));
  });
  return id;
}

function toRate(row: sql.FiatRateRow | undefined): FiatRate | undefined {
  if (!row || row.currency === null || row.per_btc === null) return undefined;
  return { currency: row.currency, perBtc: row.per_btc, setAt: row.set_at };
}
