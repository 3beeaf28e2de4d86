import type { Database } from '../../core/db/database.ts';
import { type Clock, pause } from '../../core/kernel/clock.ts';
import { errorMessage, type Log } from '../../core/kernel/log.ts';
import { type Epoch, toEpoch, type WalletProof } from './epoch.ts';
import * as sql from './proof.sql.ts';
import { takeEpoch } from './take-epoch.ts';
import { type ProvenWallet, readProof } from './wallet-proof.ts';

/** The pause after a failure. A retry reads all wallets again and may fail again. */
const RETRY_MS = 60_000;
const MAX_WAIT_MS = 60 * 60 * 1000;

/** Proofs of liabilities: each epoch publishes the sum of all wallets, and proves to each owner that the wallet is included. */
export type Proofs = ReturnType<typeof createProofs>;

export function createProofs(deps: { database: Database; clock: Clock; log: Log }) {
  const { database, clock, log } = deps;

  /** Returns the last published epoch. */
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
    async epoch(number: number): Promise<Epoch | undefined> {
      const row = await database.first(sql.readEpoch, number);
      return row && toEpoch(row);
    },
    /** Returns published epochs, newest first. */
    async list(limit: number, offset: number): Promise<{ epochs: Epoch[]; total: number }> {
      const total = (await last())?.epoch ?? 0;
      const newest = total - offset;
      const rows = newest > 0 ? await database.all(sql.pageOfEpochs, newest - limit + 1, newest) : [];
      return { epochs: rows.map(toEpoch), total };
    },
    /** @throws Refusal `proof_unavailable` when the wallet is younger than the epoch, or the epoch unknown or too old. */
    ofWallet: (wallet: ProvenWallet, epoch?: number): Promise<WalletProof> => readProof(database, wallet, epoch),
    /** Takes an epoch now. */
    take: (signal: AbortSignal): Promise<Epoch> => takeEpoch(deps, signal),
    /** Takes the first epoch at once, and another whenever the last one is `seconds` old, until the signal aborts. Call it under a lease. */
    async takeEvery(seconds: number, signal: AbortSignal): Promise<void> {
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
