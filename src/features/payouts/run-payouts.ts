import { setTimeout as delay } from 'node:timers/promises';
import type { Accounts } from '../../core/accounts/accounts.ts';
import type { Database } from '../../core/db/database.ts';
import { readPages } from '../../core/db/pages.ts';
import { invariant } from '../../core/kernel/assert.ts';
import { type Clock, pause } from '../../core/kernel/clock.ts';
import { errorMessage, type Log } from '../../core/kernel/log.ts';
import type { Payments } from '../../core/payments/payments.ts';
import { type Quarantine, readForgottenUntil } from '../../core/quarantine/quarantine.ts';
import type { Wallets } from '../../core/wallets/wallets.ts';
import type { Withdrawals } from '../../core/withdrawals/withdrawals.ts';
import type { RemoteLinks } from '../lnurl/remote/remote-links.ts';
import * as sql from './payouts.sql.ts';
import { findRights, finish, KEY_ENDED, type Payouts } from './payouts.ts';
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

const PAGE = 100;
/** The lines of a payout that are started together, and those that may be sending. */
const LINES_AT_ONCE = 10;
const MAX_SENDING = 50;
/** After so many lines a payout waits for its next turn. */
const LINES_PER_TURN = 100;
/** Payouts whose lines are started at the same time, of all accounts and of one. */
const MAX_ACTIVE = 32;
const MAX_ACTIVE_OF_ACCOUNT = 4;
/** The longest time between two looks at a payout whose payments are pending. */
const LONGEST_POLL_MS = 5000;
/** How long a stop waits for lines that are being started. */
const STOP_MS = 5000;
/** Between two looks for payouts that other instances have stored. */
const IDLE_MS = 1000;

/**
 * Executes payouts until the signal aborts. One instance does at a time. The lease is no fence: two instances that start a line together are kept
 * apart by the line's row, which only one posting can change.
 */
export async function runPayouts(
  modules: Omit<RunDependencies, 'retryMs'>,
  signal: AbortSignal,
  timing: Partial<PayoutTiming> = {},
): Promise<void> {
  const { pollMs, retryMs } = { ...TIMING, ...timing };
  const deps = { ...modules, retryMs };
  const active = new Map<string, { readonly accountId: string; readonly task: Promise<void> }>();
  /** When a payout without progress is looked at again, and the wait after that. */
  const waiting = new Map<string, { readonly atMs: number; readonly waitMs: number }>();
  let wake = new AbortController();
  deps.payouts.onCreated(() => wake.abort());

  function isFree(id: string, accountId: string): boolean {
    const ofAccount = [...active.values()].filter((one) => one.accountId === accountId).length;
    if (active.has(id) || active.size >= MAX_ACTIVE || ofAccount >= MAX_ACTIVE_OF_ACCOUNT) return false;
    return performance.now() >= (waiting.get(id)?.atMs ?? 0);
  }

  async function advance(payout: sql.PayoutRow): Promise<void> {
    try {
      const hasProgress = await advancePayout(deps, payout, signal);
      const waitMs = hasProgress ? pollMs : Math.min(LONGEST_POLL_MS, 2 * (waiting.get(payout.id)?.waitMs ?? pollMs));
      waiting.set(payout.id, { waitMs, atMs: hasProgress ? 0 : performance.now() + waitMs });
    } catch (error) {
      deps.log.warn({ payout: payout.id, reason: errorMessage(error) }, 'a payout was not continued; retrying later');
      waiting.set(payout.id, { waitMs: LONGEST_POLL_MS, atMs: performance.now() + LONGEST_POLL_MS });
    }
    active.delete(payout.id);
    wake.abort();
  }

  while (!signal.aborted) {
    wake = new AbortController();
    const running = new Set<string>();
    for await (const page of readPages(deps.database, sql.listRunning, PAGE, (last) => [last?.id ?? ''])) {
      for (const payout of page) {
        running.add(payout.id);
        const wallet = await deps.wallets.find(payout.walletId);
        invariant(wallet, `wallet ${payout.walletId} is gone`);
        if (isFree(payout.id, wallet.accountId)) active.set(payout.id, { accountId: wallet.accountId, task: advance(payout) });
      }
    }
    for (const id of waiting.keys()) if (!running.has(id)) waiting.delete(id);
    await pause(running.size > 0 ? pollMs : IDLE_MS, AbortSignal.any([signal, wake.signal]));
  }
  // A service of a payee may be slow. What it still returns is requested again after the next start.
  await Promise.race([Promise.all(Array.from(active.values(), ({ task }) => task)), delay(STOP_MS, undefined, { ref: false })]);
}

/** Ends lines whose payments have ended, starts pending ones, and ends the payout. @returns whether a line has changed */
async function advancePayout(deps: RunDependencies, payout: sql.PayoutRow, signal: AbortSignal): Promise<boolean> {
  const { database, clock } = deps;
  const { id } = payout;
  let changes = await database.transaction((tx) => tx.run(sql.concludeLines, id));
  changes += await startLines(deps, payout, signal);
  const wallet = await deps.wallets.find(payout.walletId);
  invariant(wallet, `wallet ${payout.walletId} is gone`);
  const isFinished = await database.transaction((tx) => finish(tx, clock, wallet, id));
  return changes > 0 || isFinished;
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
