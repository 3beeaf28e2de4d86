import type { Msat } from '../kernel/money.ts';

/** Why a payment failed for good: the words of LND's API, which clients match on. */
export type FailureReason = 'NO_ROUTE' | 'TIMEOUT' | 'INCORRECT_PAYMENT_DETAILS' | 'INSUFFICIENT_BALANCE' | 'ERROR' | 'CANCELED';

/**
 * What a node says of an outgoing payment. `failed` is definitive: no satoshi left or ever will.
 * Whatever is unclear is `pending`: unknown is not failed.
 */
export type PaymentOutcome =
  | { readonly state: 'succeeded'; readonly preimage: string; readonly feeMsat: Msat }
  | { readonly state: 'failed'; readonly reason: FailureReason }
  | { readonly state: 'pending' };

/** TLV records of a keysend: type (decimal text) → value in hex. */
export type CustomRecords = Readonly<Record<string, string>>;

export interface NodeInfo {
  /** 33-byte compressed public key in hex. */
  readonly pubkey: string;
  readonly alias: string;
  readonly network: 'bitcoin' | 'testnet' | 'signet' | 'regtest';
}

export interface InvoiceRequest {
  /** Absent: any amount. */
  readonly amountMsat?: Msat;
  /** UTF-8, at most 639 bytes (BOLT11 `d`). Not used when `descriptionHash` is given. */
  readonly description: string;
  /** SHA-256 of a longer description in hex (BOLT11 `h`). */
  readonly descriptionHash?: string;
  readonly expirySeconds: number;
}

export interface CreatedInvoice {
  /** The BOLT11 text, lower case. */
  readonly paymentRequest: string;
  readonly paymentHash: string;
  /** Known from the start, so that a payment inside the service can show it like any other. */
  readonly preimage: string;
}

/**
 * What became of an invoice that the service wants to settle inside:
 * `cancelled`: nobody outside can pay it any more · `accepted`: an outside payment is being claimed ·
 * `settled`: it was paid from outside · `unknown`: the node has no record of it. An adapter throws for a response that it does not understand.
 */
export type CancelOutcome = 'cancelled' | 'accepted' | 'settled' | 'unknown';

/**
 * What the node knows of an invoice it made: `accepted` while an outside payment is being claimed. An expired invoice is `open`; whether it
 * may still be paid is a matter of the clock.
 */
export type InvoiceStatus =
  | { readonly state: 'open' | 'accepted' | 'cancelled' }
  | { readonly state: 'settled'; readonly amountMsat: Msat; readonly preimage: string };

export interface PaymentOrder {
  /** The service's own id of this payment; the node pays at most once per id, for ever. */
  readonly paymentId: string;
  readonly paymentRequest: string;
  readonly paymentHash: string;
  readonly amountMsat: Msat;
  /** The most that routing may cost; 0 means zero. */
  readonly feeLimitMsat: Msat;
}

export interface KeysendOrder {
  /** As in {@link PaymentOrder}. */
  readonly paymentId: string;
  readonly destination: string;
  readonly amountMsat: Msat;
  readonly feeLimitMsat: Msat;
  readonly preimage: string;
  readonly paymentHash: string;
  readonly customRecords: CustomRecords;
}

/**
 * A place in the node's events. Text that only the node's adapter reads; it is different for every event, so that a node whose history is
 * not the one that was read rejects it.
 */
export type Position = string;

/** Money that arrived and is ours. Reported at least once; a watch resumes after `position`. */
export interface Settlement {
  readonly type: 'settlement';
  readonly position: Position;
  readonly paymentHash: string;
  readonly preimage: string;
  readonly amountMsat: Msat;
  /** Unix seconds. */
  readonly settledAt: number;
  /** For a keysend (no invoice was made for it). */
  readonly keysend: boolean;
  readonly customRecords: CustomRecords;
}

/** An outgoing payment that ended. Reported at least once. */
export interface PaymentUpdate {
  readonly type: 'payment';
  readonly position: Position;
  readonly paymentId: string;
  readonly outcome: PaymentOutcome;
}

export type NodeEvent = Settlement | PaymentUpdate;

/** An outside payment that has arrived at the node but is not claimed yet. */
export interface IncomingPayment {
  readonly paymentHash: string;
  readonly amountMsat: Msat;
  readonly keysend: boolean;
  readonly customRecords: CustomRecords;
}

/** Says whether the node may claim an incoming payment; `refuse` sends it back to its payer. */
export type IncomingGuard = (incoming: IncomingPayment) => Promise<'claim' | 'refuse'>;

/** A way from our node to another. */
export interface Route {
  /** The amount and all fees. */
  readonly totalMsat: Msat;
  readonly feesMsat: Msat;
  /** The block height at which our own HTLC would end. */
  readonly timeLock: number;
  readonly hops: readonly RouteHop[];
}

/** One channel of a route, and the node it leads to. */
export interface RouteHop {
  /** 64 bits in decimal. */
  readonly shortChannelId: string;
  /** Undefined when the node does not know it. */
  readonly capacitySat: number | undefined;
  readonly pubkey: string;
  /** What the hop's node passes on, or keeps if it is the last. */
  readonly forwardMsat: Msat;
  /** What the hop's node keeps for passing it on. */
  readonly feeMsat: Msat;
  /** The block height at which what it passes on would end. */
  readonly expiryHeight: number;
}

export interface RouteQuery {
  readonly destination: string;
  readonly amountMsat: Msat;
}

/** Nothing was sent: the node cannot be reached or is not ready. */
export class NodeUnavailable extends Error {
  override readonly name = 'NodeUnavailable';
}

/** The node does not have the event at a position that it reported earlier: it was restored from an older backup. */
export class HistoryChanged extends Error {
  override readonly name = 'HistoryChanged';
}

/**
 * The Lightning node behind the service. Adapters never see the database.
 *
 * `pay` and `keysend` are idempotent by `paymentId`: called again with an id the node knows, they answer what became of it and send nothing.
 * That is what makes recovery safe: a payment that is pending here can be handed to the node again, whatever happened before.
 * They may throw {@link NodeUnavailable} when certainly nothing was sent; any other error means that the outcome is unknown.
 */
export interface LightningNode {
  info(): Promise<NodeInfo>;
  createInvoice(request: InvoiceRequest): Promise<CreatedInvoice>;
  /** Makes sure that nobody outside can pay this invoice from now on, or says why that is too late. Idempotent. */
  cancelInvoice(paymentHash: string): Promise<CancelOutcome>;
  pay(order: PaymentOrder): Promise<PaymentOutcome>;
  keysend(order: KeysendOrder): Promise<PaymentOutcome>;
  /** What became of a payment; undefined when the node has never heard of it. */
  lookupPayment(paymentId: string): Promise<PaymentOutcome | undefined>;
  /** What became of an invoice or of an incoming keysend; undefined when the node has never heard of it. */
  lookupInvoice(paymentHash: string): Promise<InvoiceStatus | undefined>;
  /** Asked before every claim of an incoming payment; until a guard is set, incoming payments wait unclaimed. */
  guardIncoming(guard: IncomingGuard): void;
  /**
   * Returns the events after `position`, or all of them, in order and without an end; ends when the signal aborts.
   * @throws HistoryChanged when the node does not have the event at the position.
   * @throws when the connection breaks; the caller watches again from its last position.
   */
  watch(position: Position | undefined, signal: AbortSignal): AsyncIterable<NodeEvent>;
  /** Whether the node has the event at this position. */
  knowsPosition(position: Position): Promise<boolean>;
  /** The ways to a node for an amount, best first, as far as the node knows now; nothing is sent. Absent where the node cannot tell. */
  queryRoutes?(query: RouteQuery): Promise<readonly Route[]>;
  /** What the node holds in its channels on our side, and what is in flight outwards. */
  balance(): Promise<{ readonly localMsat: Msat }>;
  /**
   * Writes on the node which ledger it belongs to, unless it belongs to one, and returns the ledger that it belongs to now. The ledger
   * `replaces` gives way. Idempotent. Absent where the node has nowhere to keep it.
   */
  claimForLedger?(ledgerId: string, replaces: string | undefined): Promise<string>;
  close(): Promise<void>;
}
