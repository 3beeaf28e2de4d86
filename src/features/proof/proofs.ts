import type { Database } from '../../core/db/database.ts';
import { type Clock, pause } from '../../core/kernel/clock.ts';
import { errorMessage, type Log } from '../../core/kernel/log.ts';
import { type Epoch, toEpoch, type WalletProof } from './epoch.ts';
import * as sql from './proof.sql.ts';
import { takeEpoch } from './take-epoch.ts';
import { type ProvenWallet, readProof } from './wallet-proof.ts';

/** Proofs of liabilities: each epoch publishes the sum of all wallets, and proves to each owner that the wallet is included. */
export interface Proofs {
  /** Returns the last published epoch. */
  last(): Promise<Epoch | undefined>;
  epoch(number: number): Promise<Epoch | undefined>;
  /** Returns published epochs, newest first. */
  list(limit: number, offset: number): Promise<{ epochs: Epoch[]; total: number }>;
  /** @throws Refusal `proof_unavailable` when the wallet is younger than the epoch, or the epoch unknown or too old. */
  ofWallet(wallet: ProvenWallet, epoch?: number): Promise<WalletProof>;
  /** Takes an epoch now. */
  take(signal: AbortSignal): Promise<Epoch>;
  /** Takes the first epoch at once, and another whenever the last one is `seconds` old, until the signal aborts. Call it under a lease. */
  takeEvery(seconds: number, signal: AbortSignal): Promise<void>;
}

/** The pause after a failure. A retry reads all wallets again and may fail again. */
const RETRY_MS = 60_000;
const MAX_WAIT_MS = 60 * 60 * 1000;

export function createProofs(deps: { database: Database; clock: Clock; log: Log }): Proofs {
  const { database, clock, log } = deps;

  async function last(): Promise<Epoch | undefined> {
    const row = await database.first(sql.lastEpoch);
    return row && toEpoch(row);
  }

  async function msUntilDue(seconds: number): Promise<number> {
    const epoch = await last();
    return epoch ? (epoch.createdAt + seconds) * 1000 - clock.nowMs() : 0;
  }

  return {
    last,
    async epoch(number) {
      const row = await database.first(sql.readEpoch, number);
      return row && toEpoch(row);
    },
    async list(limit, offset) {
      const total = (await last())?.epoch ?? 0;
      const newest = total - offset;
      const rows = newest > 0 ? await database.all(sql.pageOfEpochs, newest - limit + 1, newest) : [];
      return { epochs: rows.map(toEpoch), total };
    },
    ofWallet: (wallet, epoch) => readProof(database, wallet, epoch),
    take: (signal) => takeEpoch(deps, signal),
    async takeEvery(seconds, signal) {
      while (!signal.aborted) {
        const waitMs = await msUntilDue(seconds);
        if (waitMs > 0) {
          await pause(Math.min(waitMs, MAX_WAIT_MS), signal);
          continue;
        }
        try {
          await takeEpoch(deps, signal);
        } catch (error) {
          if (signal.aborted) return;
          log.error({ reason: errorMessage(error) }, 'a proof of liabilities could not be made');
          await pause(RETRY_MS, signal);
        }
      }
    },
  };
}
