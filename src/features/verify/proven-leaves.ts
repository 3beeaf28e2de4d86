import type { Tx } from '../../core/db/database.ts';
import { readPages } from '../../core/db/pages.ts';
import { msat } from '../../core/kernel/money.ts';
import { epochRoot, leafNode, NOTHING } from '../proof/hashes.ts';
import { type EpochRow, readSeed } from '../proof/proof.sql.ts';
import { saltOf } from '../proof/seed.ts';
import { SumTree } from '../proof/sum-tree.ts';
import type { Report } from './folds.ts';
import * as sql from './verify.sql.ts';

interface ProvenLeaf {
  readonly walletId: string;
  readonly balanceMsat: number;
  readonly head: Uint8Array;
  /** Whether the entry that the leaf names was read. Later entries of the account came after the epoch. */
  passed: boolean;
}

const PAGE = 1000;
/** The clocks of instances differ, and a commit ends after the time that it contains. */
const SLACK_SECONDS = 60;

/**
 * Compares the last epoch of the proof of liabilities with the ledger: its leaves must be one moment of all wallets. All transfers are added
 * in order. Checks nothing if no epoch was published.
 */
export class ProvenLeaves {
  readonly #epoch: EpochRow | undefined;
  readonly #leaves: ReadonlyMap<number, ProvenLeaf>;
  readonly #report: Report;

  constructor(epoch: EpochRow | undefined, leaves: ReadonlyMap<number, ProvenLeaf>, report: Report) {
    this.#epoch = epoch;
    this.#leaves = leaves;
    this.#report = (problem) => report(`proof of liabilities, epoch ${epoch?.epoch}: ${problem}`);
  }

  add(t: sql.VerifiedTransfer): void {
    const from = this.#side(t.from_account, t.from_hash, t.from_balance_msat);
    const to = this.#side(t.to_account, t.to_hash, t.to_balance_msat);
    if (from && to && from !== to) this.#report(`transfer ${t.id} is in the leaf of only one of its two wallets`);
    const isLate = this.#epoch && t.created_at_ms < (this.#epoch.created_at - SLACK_SECONDS) * 1000;
    if (isLate && (from === 'after' || to === 'after')) this.#report(`transfer ${t.id} was made before it and is in no leaf`);
  }

  /** Checks the leaves after all transfers. */
  async finish(tx: Tx): Promise<void> {
    if (!this.#epoch) return;
    for (const { walletId, passed } of this.#leaves.values()) {
      if (!passed) this.#report(`the leaf of ${walletId} names an entry that its chain does not have`);
    }
    const before = this.#epoch.created_at - SLACK_SECONDS;
    for await (const wallets of readPages(tx, sql.walletsAfter, PAGE, (last) => [last?.account ?? 0])) {
      const missing = wallets.filter(({ created_at, account }) => created_at < before && !this.#leaves.has(account));
      for (const { id } of missing) this.#report(`${id} has no leaf`);
    }
  }

  #side(account: number, hash: Uint8Array, balanceMsat: number): 'before' | 'after' | undefined {
    const leaf = this.#leaves.get(account);
    if (!leaf) return undefined;
    if (leaf.passed) return 'after';
    if (Buffer.compare(leaf.head, hash) === 0) {
      leaf.passed = true;
      if (leaf.balanceMsat !== balanceMsat) this.#report(`the leaf of ${leaf.walletId} has another balance than the entry it names`);
    }
    return 'before';
  }
}

/** Checks the chain of roots and the tree of the last epoch, and returns its leaves. Memory grows with the wallets. */
export async function provenLeaves(tx: Tx, report: Report): Promise<ProvenLeaves> {
  const epoch = await lastOfChain(tx, report);
  const leaves = new Map<number, ProvenLeaf>();
  const seed = epoch && (await tx.first(readSeed, epoch.tree))?.seed;
  if (!epoch || !seed) return new ProvenLeaves(undefined, leaves, report);
  const tree = new SumTree();
  const add = ({ wallet_id: walletId, balance_msat, head, account }: sql.VerifiedLeaf) => {
    const balanceMsat = msat(balance_msat);
    tree.add(leafNode({ salt: saltOf(seed, walletId), walletId, balanceMsat, head }));
    const passed = Buffer.compare(head, NOTHING) === 0;
    if (account === null) report(`proof of liabilities, epoch ${epoch.epoch}: there is no wallet ${walletId}`);
    else leaves.set(account, { walletId, balanceMsat, head, passed });
    if (passed && balanceMsat !== 0) report(`proof of liabilities, epoch ${epoch.epoch}: ${walletId} has a balance without an entry`);
  };
  const pages = readPages(tx, sql.leavesAfter, PAGE, (last) => [epoch.tree, last?.sort_key ?? new Uint8Array()]);
  for await (const rows of pages) rows.forEach(add);
  const isPublished = tree.leaves === epoch.leaves && Buffer.compare(tree.finish().hash, epoch.tree_hash) === 0;
  if (!isPublished) report(`proof of liabilities, epoch ${epoch.epoch}: its leaves do not form the published tree`);
  return new ProvenLeaves(epoch, leaves, report);
}

async function lastOfChain(tx: Tx, report: Report): Promise<EpochRow | undefined> {
  let last: EpochRow | undefined;
  const check = (row: EpochRow) => {
    const { epoch, created_at: createdAt, leaves, total_msat, tree_hash: treeHash, previous_root: previousRoot } = row;
    const root = epochRoot({ epoch, createdAt, leaves, totalMsat: msat(total_msat), treeHash, previousRoot });
    const follows = epoch === (last?.epoch ?? 0) + 1 && Buffer.compare(previousRoot, last?.root ?? NOTHING) === 0;
    if (!follows) report(`proof of liabilities, epoch ${epoch}: it does not follow from the epoch before it`);
    if (Buffer.compare(root, row.root) !== 0) report(`proof of liabilities, epoch ${epoch}: its root does not match its content`);
    last = row;
  };
  for await (const rows of readPages(tx, sql.epochsAfter, PAGE, (after) => [after?.epoch ?? 0])) rows.forEach(check);
  return last;
}
