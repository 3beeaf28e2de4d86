import type { Msat } from '../kernel/money.ts';

/** A route from the service's node to another node. */
export interface Route {
  /** The amount plus all fees. */
  readonly totalMsat: Msat;
  /** The sum of the hops' fees. */
  readonly feesMsat: Msat;
  /** The block height at which the first HTLC expires (its `cltv_expiry`). */
  readonly timeLock: number;
  /** In the order of travel; the last hop leads to the destination. */
  readonly hops: readonly RouteHop[];
}

/** A channel of a route, and the node at its far end. Source: BOLT 4, BOLT 7. */
export interface RouteHop {
  /** A 64-bit integer in decimal. It encodes block height, transaction index and output index. Source: BOLT 7. */
  readonly shortChannelId: string;
  /** The channel's capacity in satoshis; undefined when the node does not know it. */
  readonly capacitySat: number | undefined;
  /** The id of the node at the far end: a 33-byte compressed public key in hex. */
  readonly pubkey: string;
  /** The amount that the hop's node forwards, or receives if it is the destination (`amt_to_forward`). */
  readonly forwardMsat: Msat;
  /** The fee that the hop's node charges for forwarding; 0 for the destination. */
  readonly feeMsat: Msat;
  /** The block height at which the outgoing HTLC expires, or the received HTLC if the node is the destination (`outgoing_cltv_value`). */
  readonly expiryHeight: number;
}

export interface RouteQuery {
  /** A 33-byte compressed public key in hex. */
  readonly destination: string;
  readonly amountMsat: Msat;
}
