import { type Requester, recordIn } from '../../core/accounts/operator-records.ts';
import type { Database } from '../../core/db/database.ts';
import { allowHoldsIn, stopHoldsIn } from '../../core/invoices/hold-switch.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';

/** Stops hold invoices, with an entry of the audit log. Customers read the reason. */
export async function stopHolds(database: Database, clock: Clock, requester: Requester): Promise<void> {
  await database.transaction(async (tx) => {
    await stopHoldsIn(tx, clock, { by: requester.requestedBy, reason: requester.reason });
    await recordIn(tx, { ...requester, kind: 'stop_hold_invoices', subject: 'service' }, unixSeconds(clock));
  });
}

/** Allows hold invoices again, with an entry of the audit log. Does nothing if they are allowed. */
export async function allowHolds(database: Database, clock: Clock, requester: Requester): Promise<void> {
  await database.transaction(async (tx) => {
    if (!(await allowHoldsIn(tx))) return;
    await recordIn(tx, { ...requester, kind: 'allow_hold_invoices', subject: 'service' }, unixSeconds(clock));
  });
}
