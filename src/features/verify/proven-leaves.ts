import type { Tx } from '../../core/db/database.ts';
import { readPages } from '../../core/db/pages.ts';
import { epochRoot, leafNode, NOTHING, saltOf } from '../proof/hashes.ts';
import { type EpochRow, type Leaf, readSeed } from '../proof/proof.sql.ts';
import { SumTree } from '../proof/sum-tree.ts';
import type { Report } from './folds.ts';
import * as sql from './verify.sql.ts';

interface ProvenLeaf extends Leaf {
  /** Whether the entry that the leaf names was read. Later entries of the account came after the epoch. */
  passed: boolean;
}

const PAGE = 1000;
/** The clocks of instances differ, and a commit ends after the time that it contains. */
const SLACK_SECONDS = 60;

/**
 * Compares the last epoch of the proof of liabilities with the ledger: its leaves must be one moment of all wallets. All transfers are added
 * in order.
 */
export class ProvenLeaves {
  /** Unix seconds. Transfers and wallets before it belong to the epoch. */
  readonly #before: number;
  readonly #leaves: ReadonlyMap<number, ProvenLeaf>;
  readonly #report: Report;

  /** `leaves`: by the ledger account of their wallet. */
  constructor({ created_at }: EpochRow, leaves: ReadonlyMap<number, ProvenLeaf>, report: Report) {
    this.#before = created_at - SLACK_SECONDS;
    this.#leaves = leaves;
    this.#report = report;
  }

  add(t: sql.VerifiedTransfer): void {
    const from = this.#side(t.from_account, t.from_hash, t.from_balance_msat);
    const to = this.#side(t.to_account, t.to_hash, t.to_balance_msat);
    if (from && to && from !== to) this.#report(`transfer ${t.id} is in the leaf of only one of its two wallets`);
    if (t.created_at_ms < this.#before * 1000 && (from === 'after' || to === 'after'))
      this.#report(`transfer ${t.id} was made before it and is in no leaf`);
  }

  /** Checks the leaves after all transfers. */
  async finish(tx: Tx): Promise<void> {
    for (const { wallet_id, passed } of this.#leaves.values()) {
      if (!passed) this.#report(`the leaf of ${wallet_id} names an entry that its chain does not have`);
    }
    for await (const wallets of readPages(tx, sql.walletsAfter, PAGE, (last) => [last?.account ?? 0])) {
      const missing = wallets.filter(({ created_at, account }) => created_at < this.#before && !this.#leaves.has(account));
      for (const { id } of missing) this.#report(`${id} has no leaf`);
    }
  }

  #side(account: number, hash: Uint8Array, balanceMsat: number): 'before' | 'after' | undefined {
    const leaf = this.#leaves.get(account);
    if (!leaf) return undefined;
    if (leaf.passed) return 'after';
    if (Buffer.compare(leaf.head, hash) === 0) {
      leaf.passed = true;
      if (leaf.balance_msat !== balanceMsat) this.#report(`the leaf of ${leaf.wallet_id} has another balance than the entry it names`);
    }
    return 'before';
  }
}

/**
 * Checks the chain of roots and the tree of the last epoch, and returns its leaves; undefined if no epoch was published. Memory grows with the
 * wallets.
 */
export async function provenLeaves(tx: Tx, reportProblem: Report): Promise<ProvenLeaves | undefined> {
  const epoch = await lastOfChain(tx, reportProblem);
  const seed = epoch && (await tx.first(readSeed, epoch.tree))?.seed;
  if (!epoch || !seed) return undefined;
  const report = (problem: string) => reportProblem(`proof of liabilities, epoch ${epoch.epoch}: ${problem}`);
  const leaves = new Map<number, ProvenLeaf>();
  const tree = new SumTree();
  const pages = readPages(tx, sql.leavesAfter, PAGE, (last) => [epoch.tree, last?.sort_key ?? new Uint8Array()]);
  for await (const rows of pages) {
    for (const leaf of rows) {
      const { wallet_id, account } = leaf;
      tree.add(leafNode(saltOf(seed, wallet_id), leaf));
      const passed = Buffer.compare(leaf.head, NOTHING) === 0;
      if (account === null) report(`there is no wallet ${wallet_id}`);
      else leaves.set(account, { ...leaf, passed });
      if (passed && leaf.balance_msat !== 0) report(`${wallet_id} has a balance without an entry`);
    }
  }
  const isPublished = tree.leaves === epoch.leaves && Buffer.compare(tree.finish().hash, epoch.tree_hash) === 0;
  if (!isPublished) report('its leaves do not form the published tree');
  return new ProvenLeaves(epoch, leaves, report);
}

async function lastOfChain(tx: Tx, report: Report): Promise<EpochRow | undefined> {
  let last: EpochRow | undefined;
  for await (const rows of readPages(tx, sql.epochsAfter, PAGE, (after) => [after?.epoch ?? 0])) {
    for (const row of rows) {
      const { epoch, previous_root } = row;
      const follows = epoch === (last?.epoch ?? 0) + 1 && Buffer.compare(previous_root, last?.root ?? NOTHING) === 0;
      if (!follows) report(`proof of liabilities, epoch ${epoch}: it does not follow from the epoch before it`);
      if (Buffer.compare(epochRoot(row), row.root) !== 0)
        report(`proof of liabilities, epoch ${epoch}: its root does not match its content`);
      last = row;
    }
  }
  return last;
}
