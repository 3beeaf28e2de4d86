import type { Database, Tx } from '../../core/db/database.ts';
import { invariant } from '../../core/kernel/assert.ts';
import { msat } from '../../core/kernel/money.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { toEpoch, type WalletProof } from './epoch.ts';
import { leafNode, type SumNode } from './hashes.ts';
import * as sql from './proof.sql.ts';
import { leafSortKey, saltOf } from './seed.ts';
import { SumTree, siblingsOf } from './sum-tree.ts';
import { BLOCK, BLOCK_LEVEL } from './tree-writer.ts';

/** The wallet that a proof is about. */
export interface ProvenWallet {
  readonly id: string;
  readonly ledgerAccount: number;
}

/**
 * Reads the proof of a wallet in an epoch, the last one unless given.
 * @throws Refusal `proof_unavailable`
 */
export function readProof(database: Database, wallet: ProvenWallet, epoch: number | undefined): Promise<WalletProof> {
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
    const path = await readPath(snapshot, row, index, nodesOf(block, seed));
    const { balance_msat, head } = leaf;
    return { epoch: toEpoch(row), index, walletId: wallet.id, salt: saltOf(seed, wallet.id), balanceMsat: msat(balance_msat), head, path };
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
function nodesOf(block: readonly sql.LeafRow[], seed: Uint8Array): ReadonlyMap<string, SumNode> {
  const nodes = new Map<string, SumNode>();
  const tree = new SumTree((level, position, node) => nodes.set(`${level}/${position}`, node));
  for (const { wallet_id: walletId, balance_msat, head } of block) {
    tree.add(leafNode({ salt: saltOf(seed, walletId), walletId, balanceMsat: msat(balance_msat), head }));
  }
  tree.finish();
  return nodes;
}

async function readPath(snapshot: Tx, { tree, leaves }: sql.EpochRow, index: number, below: ReadonlyMap<string, SumNode>) {
  const path: { side: 'left' | 'right'; sumMsat: SumNode['sumMsat']; hash: Uint8Array }[] = [];
  for (const { level, position, side } of siblingsOf(index, leaves)) {
    const node =
      level < BLOCK_LEVEL ? below.get(`${level}/${position % (BLOCK / 2 ** level)}`) : await readNode(snapshot, tree, level, position);
    invariant(node, `node ${level}/${position} of tree ${tree} is missing`);
    path.push({ side, sumMsat: node.sumMsat, hash: node.hash });
  }
  return path;
}

async function readNode(snapshot: Tx, tree: number, level: number, position: number): Promise<SumNode | undefined> {
  const row = await snapshot.first(sql.readNode, tree, level, position);
  return row && { sumMsat: msat(row.sum_msat), hash: row.hash };
}
