import { type Requester, recordIn } from '../../core/accounts/operator-records.ts';
import type { Tx } from '../../core/db/database.ts';
import { writeFact } from '../../core/db/facts.sql.ts';
import * as sql from './operator.sql.ts';

/** A change of the rate. Currency and price are null if it removes the rate. */
interface RateChange {
  readonly currency: string | null;
  /** The price of one bitcoin as a decimal string. */
  readonly per_btc: string | null;
  /** Unix seconds. */
  readonly set_at: number;
  readonly requester: Requester;
}

/** Stores a change of the rate, and records it with the values before. @returns its id, `opa_…` */
export async function changeFiatRate(tx: Tx, { currency, per_btc, set_at, requester }: RateChange): Promise<string> {
  // A lock that exists before the first rate: the next change waits for this one, and reads it.
  await tx.run(writeFact, 'fiat_rate_changed', String(set_at));
  const before = await tx.first(sql.findRate);
  const kind = currency === null ? 'remove_fiat_rate' : 'set_fiat_rate';
  const changes = [
    { field: 'currency', before: before?.currency ?? null, after: currency },
    { field: 'per_btc', before: before?.per_btc ?? null, after: per_btc },
  ];
  const id = await recordIn(tx, { ...requester, kind, subject: currency ?? '', target: per_btc ?? '', changes }, set_at);
  await tx.run(sql.insertRateChange, id, currency, per_btc, set_at, requester.requestedBy);
  return id;
}
