import type { Alerts } from '../alerts/alerts.ts';
import type { Database, Tx } from '../db/database.ts';
import { writeRows } from '../db/row-write.ts';
import { invariant } from '../kernel/assert.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { errorMessage, type Log } from '../kernel/log.ts';
import { Refusal } from '../kernel/refusal.ts';
import { TtlCache } from '../kernel/ttl-cache.ts';
import type { Guard } from '../ledger/ledger.ts';
import * as sql from './withdrawals.sql.ts';

/** Whether money may leave the service; otherwise since when it may not, and why. */
export type WithdrawalState = sql.SwitchRow;

export interface Stop {
  /** The account of the operator. */
  readonly by: string;
  /** Customers read it. */
  readonly reason: string;
}

const ALERT = { kind: 'withdrawals_stopped', subject: 'service' } as const;

/** For readers that decide nothing: the posting reads the switch itself. */
const CACHED_MS = 1000;
/** Refused payments are counted in one write, so that clients which retry do not cause one each. */
const COUNT_MS = 1000;

export type Withdrawals = ReturnType<typeof createWithdrawals>;

/**
 * Lets an operator stop all payments that leave the service: over Lightning, and claims of withdraw links. Transfers and payments between wallets
 * of the service, and receiving, go on. Payments that were started before end normally.
 */
export function createWithdrawals({ database, alerts, clock, log }: { database: Database; alerts: Alerts; clock: Clock; log: Log }) {
  const cache = new TtlCache<WithdrawalState>({ maxAgeMs: CACHED_MS, maxSize: 1 });
  const refused = { count: 0, since: 0 };
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function read(): Promise<WithdrawalState> {
    const row = await database.first(sql.read);
    invariant(row, 'the migration stores the switch');
    return row;
  }

  /** Stores the refused payments that this process has counted. */
  async function storeRefused(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const { count, since } = refused;
    refused.count = 0;
    if (count === 0) return;
    try {
      await database.transaction((tx) => tx.run(sql.addRefused, count, since));
    } catch (error) {
      log.warn({ count, reason: errorMessage(error) }, 'refused withdrawals were not counted');
    }
  }

  return {
    /** The guard of every posting that lets money leave: rejects it unless withdrawals are allowed at its commit. */
    guard: { statement: sql.allowed, id: 'all', onMiss: () => new Refusal('withdrawals_stopped') } satisfies Guard as Guard,

    read,

    /** Returns the state of at most a second ago. */
    readCached: async (): Promise<WithdrawalState> => (await cache.get('', read)) ?? read(),

    /** Counts a refused payment. @returns the error for its caller, with the reason of the operator */
    async refuse(): Promise<Refusal> {
      const { stopped_at: since, reason } = await read();
      if (since === null) return new Refusal('withdrawals_stopped');
      if (refused.since !== since) Object.assign(refused, { since, count: 0 });
      refused.count += 1;
      timer ??= setTimeout(() => void storeRefused(), COUNT_MS).unref();
      return stopped(reason);
    },

    /** @throws Refusal `withdrawals_stopped`. For requests that only prepare a payment. */
    async requireAllowed(): Promise<void> {
      const state = await cache.get('', read);
      if (state && state.stopped_at !== null) throw stopped(state.reason);
    },

    storeRefused,

    /** Waits for postings that are being decided, and stops all later ones. Raises the alert. While they are stopped, it replaces the reason. */
    async stopIn(tx: Tx, { by, reason }: Stop): Promise<void> {
      const before = await tx.first(sql.lockSwitch);
      if (before?.stopped_at === null) await tx.run(sql.stop, unixSeconds(clock), by, reason);
      else await tx.run(sql.replaceReason, by, reason);
      const message = `an operator has stopped withdrawals: ${reason}`;
      await writeRows(tx, alerts.rowsOf({ ...ALERT, message, details: { reason } }));
    },

    /** Allows withdrawals, and closes the alert. */
    async resumeIn(tx: Tx): Promise<void> {
      await tx.first(sql.lockSwitch);
      await tx.run(sql.resume);
      await alerts.clearIn(tx, ALERT.kind, ALERT.subject);
    },
  };
}

function stopped(reason: string): Refusal {
  return new Refusal('withdrawals_stopped', `The operator has stopped withdrawals: “${reason}” This request sent nothing.`);
}
