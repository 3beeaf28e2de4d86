import type { SqlReader, Tx } from '../db/database.ts';
import { invariant } from '../kernel/assert.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { Guard } from '../ledger/ledger.ts';
import * as sql from './hold.sql.ts';

/*
 * Stops hold invoices before their node is restarted: LND may lose a channel that holds a payment then. The switch is a row, so that it applies to all
 * instances, and stays after a restart of the service.
 */

/** An expired invoice may have been paid in its last moment, and is looked up for so long. */
export const EXPIRED_SECONDS = 3600;
const MAX_LISTED = 10_000;

/** What keeps a node from being restarted. */
export interface HoldsLeft {
  /** Invoices that can still be paid. The service cancels them. */
  readonly open: number;
  readonly payments: readonly sql.LeftHoldRow[];
}

/** Refuses new hold invoices, and returns payments that arrive. Open invoices are cancelled by the running service. Customers read the reason. */
export async function stopHoldsIn(tx: Tx, clock: Clock, { by, reason }: { readonly by: string; readonly reason: string }): Promise<void> {
  await tx.run(sql.stop, unixSeconds(clock), by, reason);
}

/** Returns whether they were stopped. */
export async function allowHoldsIn(tx: Tx): Promise<boolean> {
  return (await tx.run(sql.allow)) > 0;
}

export async function areHoldsStopped(reader: SqlReader): Promise<boolean> {
  return (await readHoldSwitch(reader)).stopped_at !== null;
}

export async function readHoldSwitch(reader: SqlReader): Promise<sql.HoldSwitchRow> {
  const row = await reader.first(sql.readSwitch);
  invariant(row, 'the migration stores the switch');
  return row;
}

/** @throws Refusal `not_supported` while hold invoices are stopped */
export async function requireHoldsAllowed(reader: SqlReader): Promise<void> {
  const { stopped_at: since, reason } = await readHoldSwitch(reader);
  if (since !== null) throw holdsStopped(reason);
}

/** The guard of the posting that stores a hold invoice. */
export const holdSwitchGuard: Guard = { statement: sql.lockSwitch, id: 'all', onMiss: () => holdsStopped() };

function holdsStopped(reason = ''): Refusal {
  const why = reason === '' ? '.' : `: “${reason}”`;
  return new Refusal('not_supported', `The operator has stopped hold invoices${why} Leave out \`hold_hash\`, or try again later.`);
}

/** Returns what is left at the nodes. */
export async function readHoldsLeft(reader: SqlReader, clock: Clock): Promise<HoldsLeft> {
  const open = (await reader.first(sql.countOpen, unixSeconds(clock) - EXPIRED_SECONDS))?.n ?? 0;
  return { open, payments: await reader.all(sql.listLeft, MAX_LISTED) };
}
