import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Database } from '../core/db/database.ts';
import { type HoldsLeft, readHoldSwitch, readHoldsLeft } from '../core/invoices/hold-switch.ts';
import { systemClock } from '../core/kernel/clock.ts';
import { allowHolds, stopHolds } from '../features/operator/hold-stops.ts';
import { withDatabase } from './database.ts';
import type { Output } from './output.ts';
import { grouped, moment, table } from './table.ts';
import { action, type Call, EXIT, NotDone, parseReason, verb } from './verb.ts';

const POLL_MS = 1000;

interface HoldOptions {
  readonly stop?: boolean;
  readonly allow?: boolean;
  readonly reason?: string;
}

/** `satchel node holds`: lists the payments of hold invoices that wait at the nodes, and stops hold invoices before a node is restarted. */
export function addHolds(node: Command): void {
  verb(node, {
    name: 'holds',
    summary: 'List the held payments; stop hold invoices before a node is restarted',
    details:
      'LND may lose a channel if it restarts while a payment is held. --stop refuses new hold invoices on all instances, lets the running service ' +
      'cancel those that are not paid, and ends when no payment is held. They stay stopped until --allow. Interrupting the command does not allow them.',
    example: 'node holds --stop --reason "We update our node."',
  })
    .option('--stop', 'refuse new ones, and wait until no payment is held')
    .option('--allow', 'allow hold invoices again')
    .option('--reason <text>', 'why they are stopped or allowed, for the audit log; customers read why they are stopped', parseReason)
    .action(action<HoldOptions>(holds));
}

async function holds({
  options: { stop = false, allow = false, reason = allow ? 'The node was restarted.' : 'The node is being restarted.' },
  output,
}: Call<HoldOptions>): Promise<number> {
  if (stop && allow) throw new NotDone('Give --stop or --allow, not both.');
  return withDatabase({ withoutLock: true }, async (database) => {
    const requester = { requestedBy: 'satchel node holds', reason };
    if (stop) await stopHolds(database, systemClock, requester);
    if (allow) await allowHolds(database, systemClock, requester);
    if (stop) await untilNoneIsLeft(database, output);
    const left = await readHoldsLeft(database, systemClock);
    const { stopped_at: stoppedAt } = await readHoldSwitch(database);
    await output.print({ stopped_at: stoppedAt, num_open: left.open, payments: left.payments }, describe(left, stoppedAt));
    return EXIT.done;
  });
}

async function untilNoneIsLeft(database: Database, output: Output): Promise<void> {
  for (;;) {
    const { open, payments } = await readHoldsLeft(database, systemClock);
    if (open === 0 && payments.length === 0) break;
    const undecided = payments.filter(({ decision }) => decision === null);
    const last = Math.max(0, ...undecided.map(({ held_until }) => held_until));
    const deadline = undecided.length === 0 ? '' : `, ${undecided.length} of them without a decision until ${moment(last)} at the latest`;
    output.progress(`${payments.length} payments are held${deadline}; ${open} invoices are not paid and are being cancelled`);
    await delay(POLL_MS);
  }
  output.progress('');
}

function describe({ open, payments }: HoldsLeft, stoppedAt: number | null): string {
  const state =
    stoppedAt === null
      ? 'Hold invoices are allowed.'
      : `Hold invoices are stopped since ${moment(stoppedAt)}. Allow them with: satchel node holds --allow`;
  if (payments.length === 0) return `${state}\nNo payment is held, and ${open} hold invoices can be paid.`;
  const rows = payments.map((one) => [
    one.id,
    one.wallet_id,
    one.node_id,
    `${grouped(one.held_msat)} msat`,
    one.decision === null ? `held until ${moment(one.held_until)}` : `${one.decision} is being carried out`,
  ]);
  return `${state}\n${table(rows)}\n${open} more hold invoices can be paid.`;
}
