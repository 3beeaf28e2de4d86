import type { Database, Tx } from '../../core/db/database.ts';
import { invariant } from '../../core/kernel/assert.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { leafNode, leafSortKey, type SumNode, saltOf } from './hashes.ts';
import * as sql from './proof.sql.ts';
import { hex, renderEpoch, type WalletProof } from './proof-object.ts';
import { SumTree, siblingsOf } from './sum-tree.ts';
import { BLOCK, BLOCK_LEVEL } from './tree-writer.ts';

/**
 * Reads the proof of a wallet in an epoch, the last one unless given.
 * @throws Refusal `proof_unavailable` when the wallet is younger than the epoch, or the epoch unknown or too old.
 */
export function readProof(
  database: Database,
  wallet: { readonly id: string; readonly ledgerAccount: number },
  epoch?: number,
): Promise<WalletProof> {
  // One snapshot, because the tree may be deleted at the same time.
  return database.snapshot(async (snapshot) => {
    const row = await (epoch === undefined ? snapshot.first(sql.lastEpoch) : snapshot.first(sql.readEpoch, epoch));
    if (!row)
      throw new Refusal('proof_unavailable', epoch === undefined ? 'No epoch has been published yet.' : `There is no epoch ${epoch}.`);
    const seed = (await snapshot.first(sql.readSeed, row.tree))?.seed;
    if (!seed) throw new Refusal('proof_unavailable', `Proofs of epoch ${row.epoch} are no longer kept; its root is.`);
    const found = await findLeaf(snapshot, row.tree, leafSortKey(seed, wallet.id, wallet.ledgerAccount));
    if (!found)
      throw new Refusal('proof_unavailable', `The wallet was made after epoch ${row.epoch}; its first proof comes with the next one.`);
    const { index, block, leaf } = found;
    invariant(leaf.wallet_id === wallet.id, 'two wallets share a sort key');
    return {
      ...renderEpoch(row),
      leaf_index: index,
      wallet_id: wallet.id,
      salt: hex(saltOf(seed, wallet.id)),
      balance_msat: leaf.balance_msat,
      head: hex(leaf.head),
      path: await readPath(snapshot, row, index, nodesOf(block, seed)),
    };
  });
}

async function findLeaf(snapshot: Tx, tree: number, sortKey: Uint8Array) {
  // A tree that is lower than a block is a single block without a stored node.
  const { position, first_sort_key } = (await snapshot.first(sql.blockOf, tree, sortKey)) ?? {
    position: 0,
    first_sort_key: new Uint8Array(),
  };
  const block = await snapshot.all(sql.leavesFrom, tree, first_sort_key, BLOCK);
  const at = block.findIndex((leaf) => Buffer.compare(leaf.sort_key, sortKey) === 0);
  const leaf = block[at];
  return leaf && { index: position * BLOCK + at, block, leaf };
}

/** Returns the nodes of a block, the lower part of the tree, by level and position within the block. */
function nodesOf(block: readonly sql.Leaf[], seed: Uint8Array): ReadonlyMap<string, SumNode> {
  const nodes = new Map<string, SumNode>();
  const tree = new SumTree((level, position, node) => nodes.set(`${level}/${position}`, node));
  for (const leaf of block) tree.add(leafNode(saltOf(seed, leaf.wallet_id), leaf));
  tree.finish();
  return nodes;
}

async function readPath(snapshot: Tx, { tree, leaves }: sql.EpochRow, index: number, below: ReadonlyMap<string, SumNode>) {
  const path: WalletProof['path'] = [];
  for (const { level, position, side } of siblingsOf(index, leaves)) {
    const node =
      level < BLOCK_LEVEL
        ? below.get(`${level}/${position % (BLOCK / 2 ** level)}`)
        : await snapshot.first(sql.readNode, tree, level, position);
    invariant(node, `node ${level}/${position} of tree ${tree} is missing`);
    path.push({ side, sum_msat: node.sum_msat, hash: hex(node.hash) });
  }
  return path;
}
