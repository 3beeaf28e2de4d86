import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database, Tx } from '../../core/db/database.ts';
import { invariant } from '../../core/kernel/assert.ts';
import { type Clock, pause, unixSeconds } from '../../core/kernel/clock.ts';
import { errorMessage, type Log } from '../../core/kernel/log.ts';
import { allAccounts, isSystemAccount } from '../../core/ledger/ledger.ts';
import { epochRoot, NOTHING } from './hashes.ts';
import * as sql from './proof.sql.ts';
import { PAGE, TreeWriter } from './tree-writer.ts';

/** How many epochs keep their tree, from which proofs are served. Roots are never deleted. */
export const KEEP_EPOCHS = 12;

/** The pause after a failure. A retry reads all wallets again and may fail again. */
const RETRY_MS = 60_000;
const MAX_WAIT_MS = 60 * 60 * 1000;

interface EpochModules {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
}

/** Takes the first epoch at once, and another whenever the last one is `seconds` old, until the signal aborts. Call it under a lease. */
export async function takeEpochs(modules: EpochModules, seconds: number, signal: AbortSignal): Promise<void> {
  const { database, clock, log } = modules;
  while (!signal.aborted) {
    const last = await database.first(sql.lastEpoch);
    const waitMs = last ? (last.created_at + seconds) * 1000 - clock.nowMs() : 0;
    if (waitMs > 0) {
      await pause(Math.min(waitMs, MAX_WAIT_MS), signal);
      continue;
    }
    try {
      await takeEpoch(modules, signal);
    } catch (error) {
      if (signal.aborted) return;
      log.error({ reason: errorMessage(error) }, 'a proof of liabilities could not be made');
      await pause(RETRY_MS, signal);
    }
  }
}

/**
 * Takes an epoch: reads all wallets from one snapshot, writes their tree page by page, and publishes the root once the tree is complete.
 * @throws InvariantViolation when the sum of the wallets is not what the system's accounts owe. Then nothing is published.
 * @throws Error when another instance has published this epoch or dropped this tree in the meantime.
 */
export async function takeEpoch(modules: EpochModules, signal: AbortSignal): Promise<sql.EpochRow> {
  const { database, log } = modules;
  const startedMs = performance.now();
  const previous = await database.first(sql.lastEpoch);
  const epoch = (previous?.epoch ?? 0) + 1;
  await forgetTrees(database, epoch - KEEP_EPOCHS + 1, signal);
  const seed = randomBytes(32);
  const tree = await database.transaction(async (tx) => (await tx.first(sql.beginTree, seed))?.id);
  invariant(tree !== undefined, 'a tree was not begun');
  const written = await writeTree(modules, new TreeWriter(database, { id: tree, seed }, signal), epoch);
  const content = { epoch, previous_root: previous?.root ?? NOTHING, ...written };
  const row = { ...content, root: epochRoot(content), tree };
  await publish(database, row);
  log.info({ epoch, wallets: row.leaves, ms: Math.round(performance.now() - startedMs) }, 'a proof of liabilities was published');
  return row;
}

async function writeTree({ database, clock, log }: EpochModules, writer: TreeWriter, epoch: number) {
  return database.snapshot(async (snapshot) => {
    const created_at = unixSeconds(clock);
    let owed = 0;
    for await (const { leaves, owedMsat } of walletLeaves(snapshot)) {
      owed += owedMsat;
      if (await writer.add(leaves)) log.info({ epoch, wallets: writer.leaves }, 'a proof of liabilities is being made');
    }
    const { sum_msat, hash } = await writer.finish();
    invariant(sum_msat === owed, `the wallets add up to ${sum_msat} msat, the system accounts owe ${owed} msat`);
    return { created_at, leaves: writer.leaves, total_msat: sum_msat, tree_hash: hash };
  });
}

/**
 * Reads the leaves of all wallets, in the order of their ledger accounts. `owedMsat`: minus the balances of the system's accounts on this page.
 * All accounts sum to zero, so the wallets sum to the total of these.
 */
async function* walletLeaves(snapshot: Tx) {
  for await (const page of allAccounts(snapshot, PAGE)) {
    const ids = page.map(({ id }) => id);
    const owners = new Map((await snapshot.all(sql.walletsOfAccounts, ids)).map(({ account, wallet_id }) => [account, wallet_id]));
    // If a wallet is missing, the sums disagree.
    const leaves = page.flatMap(({ id: account, balanceMsat: balance_msat, head }) => {
      const wallet_id = owners.get(account);
      return wallet_id === undefined ? [] : [{ wallet_id, account, balance_msat, head: head.length === 0 ? NOTHING : head }];
    });
    const owedMsat = page.reduce((sum, { id, balanceMsat }) => (isSystemAccount(id) ? sum - balanceMsat : sum), 0);
    yield { leaves, owedMsat };
  }
}

/** Publishes an epoch. The number of the epoch is the primary key: of two instances, one publishes it. */
async function publish(database: Database, row: sql.EpochRow): Promise<void> {
  const { epoch, created_at, leaves, total_msat, tree_hash, previous_root, root, tree } = row;
  await database.transaction(async (tx) => {
    if ((await tx.run(sql.setTreeState, tree, 'complete')) !== 1) throw new Error('another instance has given this tree up');
    await tx.run(sql.insertEpoch, epoch, created_at, leaves, total_msat, tree_hash, previous_root, root, tree);
  });
}

/** Deletes, page by page, all trees except those of the epochs from `keepFrom` on, and the remains of interrupted runs. */
async function forgetTrees(database: Database, keepFrom: number, signal: AbortSignal): Promise<void> {
  for (const { id } of await database.all(sql.unkeptTrees, keepFrom)) {
    const isDropped = (await database.transaction((tx) => tx.run(sql.dropTree, id, keepFrom))) === 1;
    if (!isDropped) continue;
    for (const rows of [sql.deleteLeaves, sql.deleteNodes]) {
      while ((await database.transaction((tx) => tx.run(rows, id, PAGE))) > 0) {
        signal.throwIfAborted();
        await nextTurn();
      }
    }
    await database.transaction((tx) => tx.run(sql.deleteTree, id));
  }
}
