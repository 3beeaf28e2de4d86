import type { Msat } from '../kernel/money.ts';

/** A payment channel of the node. */
export interface NodeChannel {
  /** Identifies the channel on this node. Opaque text. */
  readonly id: string;
  /** The node at the other end: a 33-byte compressed public key in hex. */
  readonly peerPubkey: string;
  /** The alias that the peer announces, an arbitrary text. Undefined when the node does not report it. */
  readonly peerAlias: string | undefined;
  /** `inactive`: open, but the peer is offline. A state that the adapter does not know counts as inactive. */
  readonly state: 'active' | 'inactive' | 'opening' | 'closing';
  /** Undefined when the node does not know it yet. */
  readonly capacityMsat: Msat | undefined;
  /**
   * An estimate of what the node can send over the channel while it is active, after the channel reserve and the fees of the commitment
   * transaction; 0 for a channel that is opening or closing.
   */
  readonly spendableMsat: Msat;
  /** An estimate of what the node can receive over the channel while it is active; 0 for a channel that is opening or closing. */
  readonly receivableMsat: Msat;
  /** Whether the channel is not announced to the network. */
  readonly isPrivate: boolean;
  /** Only of a channel in the state `closing`. */
  readonly closing?: Closing | undefined;
}

/** How a channel is being closed. */
export interface Closing {
  /** One side closes it alone, so our money is locked for some time. */
  readonly isForced: boolean;
  /** Our money of the channel that is not in the node's on-chain wallet yet, with HTLCs that come back. What others may claim is not included. */
  readonly limboMsat: Msat;
}

/** A channel that is being closed, in a balance. */
export interface ClosingChannel extends Closing {
  /** As in the list of channels. */
  readonly id: string;
  /** The node at the other end: a 33-byte compressed public key in hex. */
  readonly peerPubkey: string;
}

/** The node's money in its channels, including outgoing HTLCs in flight. */
export interface NodeBalance {
  /** In open channels. */
  readonly localMsat: Msat;
  /** The ids of the open channels. Absent: the node does not tell them. */
  readonly openChannels?: readonly string[] | undefined;
  /** Channels that are being closed. Their money is not in `localMsat`. */
  readonly closing?: readonly ClosingChannel[] | undefined;
}

/** A channel that was closed, with the money that went, or goes, to the node's on-chain wallet. */
export interface ClosedChannel {
  readonly id: string;
  readonly settledMsat: Msat;
}
