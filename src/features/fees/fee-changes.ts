import { type OperatorOrder, operatorGuards } from '../../core/accounts/directory.ts';
import { type FieldChange, recordIn, requesterOfKey } from '../../core/accounts/operator-records.ts';
import type { Database } from '../../core/db/database.ts';
import { type RowWrite, writeRows } from '../../core/db/row-write.ts';
import { FEE_DIRECTIONS, type ServiceFeeRule } from '../../core/fees/fee-rule.ts';
import { type FeeRules, type Fees, insertSchedule, type NewSchedule } from '../../core/fees/fees.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import { requireGuards } from '../../core/ledger/ledger.ts';

interface FeeChangeModules {
  readonly database: Database;
  readonly fees: Fees;
  readonly clock: Clock;
}

export type FeeChange = OperatorOrder & Pick<NewSchedule, 'ownerId' | 'accountId' | 'rules'>;

/**
 * Stores a new version of the fees of an account or a wallet, and records it. `extraRows`: rows in the same transaction, from the id of the version.
 * @returns the id
 * @throws Refusal `unauthorized`, `forbidden`
 */
export async function changeFees(
  { database, fees, clock }: FeeChangeModules,
  { by, origin, reason, ...order }: FeeChange,
  extraRows: (id: string) => readonly RowWrite[],
): Promise<string> {
  const requester = requesterOfKey(by, origin, reason);
  const id = await database.transaction(async (tx) => {
    const { id, before } = await insertSchedule(tx, clock, { ...order, reason, madeBy: requester.requestedBy });
    // After the exclusive lock of the account: an operator may change its own, and requests that first share its row deadlock.
    await requireGuards(tx, operatorGuards(by));
    const { ownerId, accountId, rules } = order;
    const kind = rules ? ('set_fees' as const) : ('remove_fees' as const);
    const changes = changesOf(before, rules);
    await recordIn(tx, { ...requester, kind, subject: ownerId, target: id, accountId, changes }, unixSeconds(clock));
    await writeRows(tx, extraRows(id));
    return id;
  });
  fees.forget();
  return id;
}

/** Returns the directions with other fees than before. */
function changesOf(before: FeeRules | undefined, after: FeeRules | undefined): FieldChange[] {
  const textOf = (rule: ServiceFeeRule | undefined) => (rule ? JSON.stringify(rule) : null);
  return FEE_DIRECTIONS.map((field) => ({ field, before: textOf(before?.[field]), after: textOf(after?.[field]) })).filter(
    (change) => change.before !== change.after,
  );
}
