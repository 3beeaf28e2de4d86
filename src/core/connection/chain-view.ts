import type { NewAlert } from '../alerts/alerts.ts';
import { MIN_BLOCKS_BEHIND, type NodeInfo } from '../lightning/node.ts';

/** What the service concludes about the blockchain as a node sees it. `reason`: a sentence without a full stop, about the node. */
export type ChainReport = { readonly state: 'current' } | { readonly state: 'late' | 'behind'; readonly reason: string };

/** A gap of ninety minutes between two blocks occurs about once in two months. */
export const DEFAULT_MAX_BLOCK_AGE_SECONDS = 5400;
/** The mean number of blocks in the maximum age, and so the block interval of the network: ten minutes by default. */
const BLOCKS_IN_MAX_AGE = 9;
/** A warning is shown after this part of the maximum age. */
const LATE = 2 / 3;
/** For this long a node may report that it is not synchronized. */
const UNSYNCED_SECONDS = 120;
/** Anyone can be the payee. Its height counts when the newest block is so old, in block intervals, that it may be true. */
const PLAUSIBLE_BLOCKS = 2;
const BLOCK_SECONDS = 600;

interface Claim {
  readonly payeeHeight: number;
  readonly ownHeight: number;
}

/**
 * Judges whether a node follows the blockchain. LND reports that it is synchronized until its newest block is two hours old, and a node whose source
 * of blocks is silent cannot know it. So the age of its newest block counts, and the height that a payee reports.
 */
export class ChainView {
  readonly #maxBlockAgeSeconds: number | undefined;
  #network: NodeInfo['network'] | undefined;
  #chain: NodeInfo['chain'];
  /** When the newest block arrived at the node, or an earlier time. */
  #arrivedAt = 0;
  #observedAt = 0;
  #unsyncedSince: number | undefined;
  #claim: Claim | undefined;

  /** `maxBlockAgeSeconds`: undefined for the default, which does not apply on regtest; 0 for none. */
  constructor(maxBlockAgeSeconds: number | undefined) {
    this.#maxBlockAgeSeconds = maxBlockAgeSeconds;
  }

  /** Takes in what the node reports about itself. `now`: Unix seconds. */
  observe({ network, chain }: Pick<NodeInfo, 'network' | 'chain'>, now: number): void {
    this.#network = network;
    const before = this.#chain?.blockHeight;
    this.#chain = chain;
    if (!chain) return;
    const { tipAt = now } = chain;
    // The time of a block is its miner's, and may be an hour off. The service may have seen itself when it arrived.
    if (before === undefined) this.#arrivedAt = tipAt;
    else if (chain.blockHeight > before) this.#arrivedAt = Math.max(this.#observedAt, tipAt);
    this.#observedAt = now;
    if (this.#claim && chain.blockHeight > this.#claim.ownHeight) this.#claim = undefined;
    this.#unsyncedSince = chain.isSynced ? undefined : (this.#unsyncedSince ?? now);
  }

  /** Takes in the height at which a payee has rejected a payment. */
  reportPayee(payeeHeight: number): void {
    const ownHeight = this.#chain?.blockHeight;
    if (ownHeight !== undefined && payeeHeight >= ownHeight + MIN_BLOCKS_BEHIND) this.#claim = { payeeHeight, ownHeight };
  }

  /** The mean time between two blocks of the network in seconds; undefined if its blocks are irregular. */
  blockSeconds(): number | undefined {
    const age = this.#maxAgeSeconds();
    return age === undefined ? undefined : age / BLOCKS_IN_MAX_AGE;
  }

  /** Returns how many blocks the node has missed on average since its newest one. Bounds held payments. */
  missedBlocks(now: number): number {
    const blockSeconds = this.blockSeconds();
    return blockSeconds === undefined ? 0 : Math.floor(this.#ageSeconds(now) / blockSeconds);
  }

  /** Returns the seconds for which the node has reported that it is not synchronized, where that means something; otherwise 0. */
  unsyncedSeconds(now: number): number {
    return this.#unsyncedSince === undefined || this.#maxAgeSeconds() === undefined ? 0 : now - this.#unsyncedSince;
  }

  read(now: number): ChainReport {
    if (this.#claim && this.#isPlausible(now)) {
      const { payeeHeight, ownHeight } = this.#claim;
      return { state: 'behind', reason: `it is at block ${ownHeight}, and a payee was at block ${payeeHeight}` };
    }
    const maxAge = this.#maxAgeSeconds();
    if (maxAge === undefined || !this.#chain) return { state: 'current' };
    if (this.unsyncedSeconds(now) >= UNSYNCED_SECONDS)
      return { state: 'behind', reason: 'it reports that it is not synchronized with the blockchain' };
    const age = this.#ageSeconds(now);
    if (age < maxAge * LATE) return { state: 'current' };
    const reason = `its newest block, ${this.#chain.blockHeight}, is ${Math.floor(age / 60)} minutes old`;
    return { state: age < maxAge ? 'late' : 'behind', reason };
  }

  #maxAgeSeconds(): number | undefined {
    if (this.#maxBlockAgeSeconds !== undefined) return this.#maxBlockAgeSeconds || undefined;
    return this.#network === undefined || this.#network === 'regtest' ? undefined : DEFAULT_MAX_BLOCK_AGE_SECONDS;
  }

  #isPlausible(now: number): boolean {
    const blockSeconds = this.blockSeconds();
    return blockSeconds === undefined || this.#ageSeconds(now) >= PLAUSIBLE_BLOCKS * blockSeconds;
  }

  #ageSeconds(now: number): number {
    return this.#chain ? Math.max(0, now - this.#arrivedAt) : 0;
  }
}

export function behindAlert(nodeId: string, reason: string): NewAlert {
  const message = `the node is behind the blockchain: ${reason}`;
  return { kind: 'node_behind', subject: nodeId, message, details: { ln_node_id: nodeId, reason } };
}

/** The mean time between two blocks, for deadlines: that of bitcoin where the network's own is not known. */
export function blockSecondsOf(view: ChainView): number {
  return view.blockSeconds() ?? BLOCK_SECONDS;
}
