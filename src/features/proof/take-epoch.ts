import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../../core/db/database.ts';
import { invariant } from '../../core/kernel/assert.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import type { Log } from '../../core/kernel/log.ts';
import type { Epoch } from './epoch.ts';
import { epochRoot, NOTHING } from './hashes.ts';
import * as sql from './proof.sql.ts';
import { TreeWriter } from './tree-writer.ts';
import { PAGE, walletStates } from './wallet-states.ts';

/** How many epochs keep their tree, from which proofs are served. Roots are never deleted. */
export const KEEP_EPOCHS = 12;

/**
 * Takes an epoch: reads all wallets from one snapshot, writes their tree page by page, and publishes the root once the tree is complete.
 * @throws InvariantViolation when the sum of the wallets is not what the system's accounts owe. Then nothing is published.
 * @throws Error when another instance has published this epoch or dropped this tree in the meantime.
 */
export async function takeEpoch(deps: { database: Database; clock: Clock; log: Log }, signal: AbortSignal): Promise<Epoch> {
  const { database, log } = deps;
  const startedMs = performance.now();
  const previous = await database.first(sql.lastEpoch);
  const number = (previous?.epoch ?? 0) + 1;
  await forgetTrees(database, number - KEEP_EPOCHS + 1, signal);
  const seed = randomBytes(32);
  const id = await database.transaction(async (tx) => (await tx.first(sql.beginTree, seed))?.id);
  invariant(id !== undefined, 'a tree was not begun');
  const facts = {
    epoch: number,
    previousRoot: previous?.root ?? NOTHING,
    ...(await writeTree(deps, new TreeWriter(database, { id, seed }, signal), number)),
  };
  const epoch: Epoch = { ...facts, root: epochRoot(facts) };
  await publish(database, epoch, id);
  log.info({ epoch: number, wallets: epoch.leaves, ms: Math.round(performance.now() - startedMs) }, 'a proof of liabilities was published');
  return epoch;
}

async function writeTree({ database, clock, log }: { database: Database; clock: Clock; log: Log }, writer: TreeWriter, epoch: number) {
  return database.snapshot(async (snapshot) => {
    const createdAt = unixSeconds(clock);
    let owed = 0;
    for await (const { wallets, owedMsat } of walletStates(snapshot)) {
      owed += owedMsat;
      if (await writer.add(wallets)) log.info({ epoch, wallets: writer.leaves }, 'a proof of liabilities is being made');
    }
    const top = await writer.finish();
    invariant(top.sumMsat === owed, `the wallets add up to ${top.sumMsat} msat, the system accounts owe ${owed} msat`);
    return { createdAt, leaves: writer.leaves, totalMsat: top.sumMsat, treeHash: top.hash };
  });
}

/** Publishes an epoch. The number of the epoch is the primary key: of two instances, one publishes it. */
async function publish(database: Database, epoch: Epoch, tree: number): Promise<void> {
  const { epoch: number, createdAt, leaves, totalMsat, treeHash, previousRoot, root } = epoch;
  await database.transaction(async (tx) => {
    if ((await tx.run(sql.completeTree, tree)) !== 1) throw new Error('another instance has given this tree up');
    await tx.run(sql.insertEpoch, number, createdAt, leaves, totalMsat, treeHash, previousRoot, root, tree);
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
