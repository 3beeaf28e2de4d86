import { keyGuards } from '../../core/accounts/accounts.ts';
import { type OperatorOrder, operatorGuards } from '../../core/accounts/directory.ts';
import { type FieldChange, recordIn, requesterOfKey } from '../../core/accounts/operator-records.ts';
import type { Database } from '../../core/db/database.ts';
import { type RowWrite, writeRows } from '../../core/db/row-write.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import { requireGuards } from '../../core/ledger/ledger.ts';
import { type LimitFields, type Limits, setLimits } from '../../core/limits/limits.ts';

interface LimitChangeModules {
  readonly database: Database;
  readonly spendingLimits: Limits;
  readonly clock: Clock;
}

export interface LimitChange extends OperatorOrder {
  /** The account or the wallet. */
  readonly ownerId: string;
  /** The account itself, or that of the wallet. */
  readonly accountId: string;
  readonly limits: LimitFields;
  /** Whether the key must be that of an operator, whose changes are recorded. */
  readonly isOperator: boolean;
}

/** Replaces the limits of an account or a wallet. `extraRows`: rows in the same transaction. @throws Refusal `unauthorized`, `forbidden` */
export async function changeLimits(
  { database, spendingLimits, clock }: LimitChangeModules,
  { by, origin, reason, ownerId, accountId, limits, isOperator }: LimitChange,
  extraRows: readonly RowWrite[],
): Promise<void> {
  await database.transaction(async (tx) => {
    const before = await setLimits(tx, clock, ownerId, accountId, limits);
    // After the exclusive lock of the account: an operator may change its own, and requests that first share its row deadlock.
    await requireGuards(tx, isOperator ? operatorGuards(by) : keyGuards(by));
    if (isOperator) {
      const record = { ...requesterOfKey(by, origin, reason), kind: 'set_limits', subject: ownerId, accountId } as const;
      await recordIn(tx, { ...record, changes: changesOf(before, limits) }, unixSeconds(clock));
    }
    await writeRows(tx, extraRows);
  });
  spendingLimits.forget();
}

/** Returns the limits that a change sets, also unchanged ones, with the values before and after. */
function changesOf(before: LimitFields | undefined, after: LimitFields): FieldChange[] {
  const names = Object.keys(after) as (keyof LimitFields)[];
  return names.map((field) => ({ field, before: textOf(before?.[field]), after: textOf(after[field]) }));
}

function textOf(value: number | null | undefined): string | null {
  return value === null || value === undefined ? null : String(value);
}
