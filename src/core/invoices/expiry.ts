import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../db/database.ts';
import { readFact } from '../db/facts.sql.ts';
import { eventRow } from '../journal/events.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import * as sql from './invoices.sql.ts';

export interface ExpiryDependencies {
  readonly database: Database;
  readonly clock: Clock;
}

/** How many invoices one transaction reports, and how many transactions one call has at most. */
const PAGE = 200;
const MAX_PAGES = 20;

/**
 * Stores the event `invoice_expired` of open invoices that have expired. A mark in the row of the invoice, set in the same transaction, keeps
 * it to one event, whatever the clock does and however many instances do this at once. Invoices that expired before the service stored
 * events are left out. An expired invoice whose internal payment fails is reported when it is open again.
 */
export async function reportExpired(deps: ExpiryDependencies, signal: AbortSignal): Promise<void> {
  const since = Number((await deps.database.first(readFact, 'invoice_expiry_since'))?.value ?? 0);
  for (let pages = 0; pages < MAX_PAGES && !signal.aborted; pages += 1) {
    const due = await deps.database.all(sql.listExpired, since, unixSeconds(deps.clock), PAGE);
    if (due.length > 0) await report(deps, due);
    if (due.length < PAGE) return;
    await nextTurn();
  }
}

async function report({ database, clock }: ExpiryDependencies, due: readonly sql.ExpiredRow[]): Promise<void> {
  await database.transaction(async (tx) => {
    // Since they were read, some may have been paid, canceled, or reported by another instance. The update locks the rows, so that the
    // event of a late payment follows.
    const ids = due.map(({ id }) => id);
    const expired = await tx.all(sql.markExpiryReported, ids, unixSeconds(clock));
    for (const { id, ledger_account: ledgerAccount } of expired) {
      const { statement, parameters } = eventRow(clock, { type: 'invoice_expired', owner: { ledgerAccount }, subject: id });
      await tx.send(statement, ...parameters);
    }
  });
}
