import { ZERO_MSAT } from '../../src/core/kernel/money.ts';
import type { NodeInfo } from '../../src/core/lightning/node.ts';
import type { ClosedChannel, ClosingChannel, NodeChannel } from '../../src/core/lightning/node-channel.ts';

/** What our node reports about itself and its channels besides its payments. It is not stored. */
export interface NodeHealth {
  chain: NonNullable<NodeInfo['chain']>;
  cannotSend: string | undefined;
  /** The state of the channel to alice. */
  channel: Extract<NodeChannel['state'], 'active' | 'inactive'>;
  /** Further channels of our node that are being closed. Their money is not in its balance. */
  closing: readonly ClosingChannel[];
  /** Channels that were closed. */
  closed: readonly ClosedChannel[];
}

export function newHealth(): NodeHealth {
  return { chain: { blockHeight: 101, isSynced: true }, cannotSend: undefined, channel: 'active', closing: [], closed: [] };
}

/** Returns a channel that is being closed, as the list of channels shows it. */
export function listedClosing({ id, peerPubkey, isForced, limboMsat }: ClosingChannel): NodeChannel {
  return {
    id,
    peerPubkey,
    peerAlias: undefined,
    state: 'closing',
    capacityMsat: undefined,
    spendableMsat: ZERO_MSAT,
    receivableMsat: ZERO_MSAT,
    isPrivate: false,
    closing: { isForced, limboMsat },
  };
}
