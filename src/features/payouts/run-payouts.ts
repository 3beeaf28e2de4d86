import type { Accounts } from '../../core/accounts/accounts.ts';
import type { Database } from '../../core/db/database.ts';
import { invariant } from '../../core/kernel/assert.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import type { Log } from '../../core/kernel/log.ts';
import type { Payments } from '../../core/payments/payments.ts';
import { type Quarantine, readForgottenUntil } from '../../core/quarantine/quarantine.ts';
import type { Queue, Tasks } from '../../core/tasks/tasks.ts';
import type { Wallets } from '../../core/wallets/wallets.ts';
import type { Withdrawals } from '../../core/withdrawals/withdrawals.ts';
import type { RemoteLinks } from '../lnurl/remote/remote-links.ts';
import * as sql from './payouts.sql.ts';
import { findRights, finish, KEY_ENDED, PAYOUTS, type Payouts } from './payouts.ts';
import { LONGEST_RETRY_MS, runLine } from './run-line.ts';

/** The waits of the job. Tests shorten them. */
export interface PayoutTiming {
  /** Between two looks at a payout whose payments are pending, at first. */
  readonly pollMs: number;
  /** Before a line is tried again that could not start. */
  readonly retryMs: number;
}

const TIMING: PayoutTiming = { pollMs: 200, retryMs: 5000 };

export interface RunDependencies {
  readonly database: Database;
  readonly accounts: Accounts;
  readonly wallets: Wallets;
  readonly payments: Payments;
  readonly quarantine: Quarantine;
  readonly withdrawals: Withdrawals;
  readonly remoteLinks: RemoteLinks;
  readonly payouts: Payouts;
  readonly clock: Clock;
  readonly log: Log;
  readonly retryMs: number;
}

/** The lines of a payout that are started together, and those that may be sending. */
const LINES_AT_ONCE = 10;
const MAX_SENDING = 50;
/** After so many lines a payout waits for its next turn. */
const LINES_PER_TURN = 100;
/** Payouts whose lines are started at the same time. */
const SLOTS = { total: 32, ofAccount: 4, slow: 16, slowOfAccount: 2 };
/** The longest time between two looks at a payout whose payments are pending. */
const LONGEST_POLL_MS = 5000;

/**
 * Executes payouts: each task is a payout, which is advanced by up to 100 lines at a time until it has finished. Two instances that start a line together
 * are kept apart by the line's row, which only one posting can change.
 */
export function payoutQueue(modules: Omit<RunDependencies, 'retryMs'>, timing: Partial<PayoutTiming> = {}): Queue {
  const { pollMs, retryMs } = { ...TIMING, ...timing };
  const deps = { ...modules, retryMs };
  /** How long payouts wait that have made no progress. */
  const waits = new Map<string, number>();
  return {
    name: PAYOUTS,
    retry: { firstMs: LONGEST_POLL_MS, longestMs: LONGEST_POLL_MS, giveUpMs: Number.POSITIVE_INFINITY },
    slots: SLOTS,
    async run({ payload: id }, signal) {
      const payout = await modules.payouts.findRunning(id);
      const { hasProgress, isFinished } = payout ? await advancePayout(deps, payout, signal) : { hasProgress: false, isFinished: true };
      if (isFinished || hasProgress) waits.delete(id);
      if (isFinished) return 'done';
      const againMs = hasProgress ? 0 : Math.min(LONGEST_POLL_MS, 2 * (waits.get(id) ?? pollMs / 2));
      if (!hasProgress) waits.set(id, againMs);
      return { againMs };
    },
  };
}

/** Runs payouts until the signal aborts, beside other instances. */
export async function runPayouts(
  modules: Omit<RunDependencies, 'retryMs'> & { readonly tasks: Tasks },
  signal: AbortSignal,
  timing: Partial<PayoutTiming> = {},
): Promise<void> {
  await modules.payouts.addMissingTasks();
  await modules.tasks.run(payoutQueue(modules, timing), signal, timing.pollMs === undefined ? {} : { pollMs: timing.pollMs });
}

/** What {@link advancePayout} has done. */
interface Advance {
  /** Whether a line has changed. */
  readonly hasProgress: boolean;
  readonly isFinished: boolean;
}

/** Ends lines whose payments have ended, starts pending ones, and ends the payout. */
async function advancePayout(deps: RunDependencies, payout: sql.PayoutRow, signal: AbortSignal): Promise<Advance> {
  const { database, clock } = deps;
  const { id } = payout;
  let changes = await database.transaction((tx) => tx.run(sql.concludeLines, id));
  changes += await startLines(deps, payout, signal);
  const wallet = await deps.wallets.find(payout.walletId);
  invariant(wallet, `wallet ${payout.walletId} is gone`);
  const isFinished = await database.transaction((tx) => finish(tx, clock, wallet, id));
  return { hasProgress: changes > 0, isFinished };
}

async function startLines(deps: RunDependencies, payout: sql.PayoutRow, signal: AbortSignal): Promise<number> {
  const { database, clock } = deps;
  const { id } = payout;
  if (await deps.quarantine.read()) return 0;
  // All lines wait, those to wallets as well, until the operator resumes.
  if ((await deps.withdrawals.readCached()).stopped_at !== null) return 0;
  const wallet = await deps.wallets.find(payout.walletId);
  invariant(wallet, `wallet ${payout.walletId} is gone`);
  const isFromBefore = payout.createdAt <= (await readForgottenUntil(database, clock));
  let started = 0;
  while (started < LINES_PER_TURN && !signal.aborted) {
    const sums = await database.all(sql.sumLines, [id]);
    if (!sums.some(({ state }) => state === 'pending')) break;
    const rights = await findRights(deps.accounts, payout);
    if (!rights) return started + (await database.transaction((tx) => tx.run(sql.failPending, id, 'unauthorized', KEY_ENDED)));
    const sending = sums.find(({ state }) => state === 'sending')?.n ?? 0;
    const now = clock.nowMs();
    const limit = Math.min(LINES_AT_ONCE, Math.max(0, MAX_SENDING - sending));
    const lines = await database.all(sql.listDue, id, now, now + 2 * LONGEST_RETRY_MS, limit);
    if (lines.length === 0) break;
    await Promise.all(lines.map((line) => runLine(deps, { line, wallet, rights, isFromBefore })));
    started += lines.length;
  }
  return started;
}
