import type { Msat } from '../kernel/money.ts';
import type { CredentialReport } from './credential-report.ts';
import type { ClosedChannel, NodeBalance, NodeChannel } from './node-channel.ts';
import type { PaymentEvidence } from './payment-evidence.ts';
import type { RecordPage, RecordQuery } from './record-page.ts';
import type { Route, RouteQuery } from './route.ts';

/**
 * The final failure reason of an outgoing payment. Source: the names of LND's `PaymentFailureReason`, which API clients match on. `RETURNED`: an HTLC
 * was held for long and came back, perhaps on the chain. `NODE_BEHIND`: the payee rejected it because the service's node is behind the blockchain.
 */
export type FailureReason =
  | 'NO_ROUTE'
  | 'TIMEOUT'
  | 'RETURNED'
  | 'INCORRECT_PAYMENT_DETAILS'
  | 'INSUFFICIENT_BALANCE'
  | 'ERROR'
  | 'CANCELED'
  | 'NODE_BEHIND';

/** A payee may be ahead by a block or two that have not reached the node yet. From this number on, the node is behind the blockchain. */
export const MIN_BLOCKS_BEHIND = 3;

/**
 * The state of an outgoing payment on the node. `failed` is final: no money left the node and none will leave it for this payment.
 * An adapter returns `pending` when the node's response does not prove success or failure: unknown is not failed.
 * `preimage` is 32 bytes in hex, `feeMsat` the routing fee that was paid on top of the amount. `payeeHeight` is the block height of the payee that
 * rejected the payment, if the node reports it.
 */
export type PaymentOutcome =
  | { readonly state: 'succeeded'; readonly preimage: string; readonly feeMsat: Msat }
  | { readonly state: 'failed'; readonly reason: FailureReason; readonly payeeHeight?: number | undefined }
  | { readonly state: 'pending' };

/**
 * Custom TLV records of a keysend's last onion hop: type → value. The type is a decimal integer from 65536 to 2^64 - 1, the value bytes in
 * hex. Source: BOLT 1 (custom types), BOLT 4 (payload of the last hop).
 */
export type CustomRecords = Readonly<Record<string, string>>;

/** What a node supports. The API rejects a request that needs more. */
export interface NodeCapabilities {
  /** Whether it sends keysend payments with a preimage that the service has chosen. */
  readonly sendsKeysend: boolean;
  /** Whether it accepts incoming keysend payments. */
  readonly receivesKeysend: boolean;
  /**
   * Which incoming payments wait for the decision of the guard. The node claims all others without it: an invoice is then protected by
   * cancelling it, which is exact.
   */
  readonly guards: 'all' | 'keysends' | 'none';
  /** Whether it creates invoices from the hash of a description alone; otherwise it needs the text. */
  readonly descriptionHashWithoutText: boolean;
  /** Whether it has hold invoices: their payments wait at the node until the service settles or cancels them. */
  readonly holdInvoices: boolean;
}

export interface NodeInfo {
  /** The node's id: a 33-byte compressed secp256k1 public key in hex. */
  readonly pubkey: string;
  /** The name that the node announces. Not unique. */
  readonly alias: string;
  readonly network: 'bitcoin' | 'testnet' | 'signet' | 'regtest';
  /** Its program and version, for people: `LND 0.21.2-beta`. */
  readonly software: string;
  readonly capabilities: NodeCapabilities;
  /** The number of its channels, if the node reports it. */
  readonly channels?: { readonly active: number; readonly inactive: number } | undefined;
  /**
   * The node's view of the blockchain, if reported. `isSynced`: the node reports that it has read the chain up to the newest block. `tipAt`: the
   * time in the header of its newest block, in Unix seconds.
   */
  readonly chain?: { readonly blockHeight: number; readonly isSynced: boolean; readonly tipAt?: number | undefined } | undefined;
  /** Why the node answers but cannot send payments now, as a sentence without a full stop. Absent when it can. */
  readonly cannotSend?: string | undefined;
  /** Why hold invoices endanger money on this node, as a sentence without a full stop. Absent if they do not. */
  readonly holdInvoiceRisk?: string | undefined;
  /** Why hold invoices are not offered although the node has them, as a sentence without a full stop. The connection adds it, not the adapter. */
  readonly noHoldInvoices?: string | undefined;
  /** What its operator should change, as clauses without a full stop. Absent when there is nothing. */
  readonly advice?: readonly string[] | undefined;
  /** Calls that the service needs and the credential does not permit. Absent if there are none. The connection adds it, not the adapter. */
  readonly missingCalls?: readonly string[] | undefined;
}

export interface InvoiceRequest {
  /** 32 unpredictable bytes in hex, never used before. The payment hash is its SHA-256. */
  readonly preimage: string;
  /** The payer chooses the amount when it is absent. */
  readonly amountMsat?: Msat;
  /** At most 639 bytes of UTF-8. Ignored when `descriptionHash` is given. Source: BOLT 11, field `d`. */
  readonly description: string;
  /** SHA-256 of a longer description, 32 bytes in hex. Source: BOLT 11, field `h`. */
  readonly descriptionHash?: string;
  /** Seconds from now. Source: BOLT 11, field `x`. */
  readonly expirySeconds: number;
}

/** An invoice whose preimage the node does not know, so that a payment of it waits until it is settled or cancelled. */
export interface HoldInvoiceRequest extends Omit<InvoiceRequest, 'preimage'> {
  /** 32 bytes in hex, which no other invoice of the node has. */
  readonly paymentHash: string;
  /** The blocks that a payer must leave until the HTLC at this node expires (`min_final_cltv_expiry_delta`). Absent: the node's default. */
  readonly minFinalCltvBlocks?: number;
}

/** A hold invoice as the node has it. */
export interface FoundHoldInvoice {
  /** The BOLT 11 invoice in lower case. */
  readonly paymentRequest: string;
  /** Whether it can no longer be paid, and was not. */
  readonly isCancelled: boolean;
}

/** A payment that waits at the node for a hold invoice, of whatever program. */
export interface HeldPayment {
  readonly paymentHash: string;
  readonly paymentRequest: string;
  readonly amountMsat: Msat;
  /** The number of blocks until the first of its HTLCs expires. */
  readonly blocksLeft: number;
}

export interface CreatedInvoice {
  /** The BOLT 11 invoice in lower case. */
  readonly paymentRequest: string;
}
/**
 * The result of cancelling an invoice, which the service does before it settles the invoice internally.
 * - `cancelled`: the node rejects every later external payment of the invoice.
 * - `accepted`: too late; the node is claiming an external payment.
 * - `settled`: too late; an external payer has paid the invoice.
 * - `unknown`: the node has no record of the invoice.
 *
 * An adapter throws for a response that it does not understand.
 */
export type CancelOutcome = 'cancelled' | 'accepted' | 'settled' | 'unknown';

/**
 * The result of settling a hold invoice. An adapter throws for a response that it does not understand.
 * - `settled`: the node claims the payment. It reports the settlement, whose finality is separate.
 * - `open`: no complete payment has arrived. Nothing was done.
 * - `cancelled`: too late; the payment went back to its payer.
 * - `unknown`: the node has no record of the invoice.
 */
export type SettleOutcome = 'settled' | 'open' | 'cancelled' | 'unknown';

/**
 * The state of an invoice on the node. `accepted`: the node is claiming an external payment. `held`: an external payment of a hold invoice has
 * arrived in full and waits; `blocksLeft` is the number of blocks until the first of its HTLCs expires. An expired, unpaid invoice may stay
 * `open`: the caller compares its expiry with the clock. `amountMsat` is the amount that is held or was received, `preimage` 32 bytes in hex.
 */
export type InvoiceStatus =
  | { readonly state: 'open' | 'accepted' | 'cancelled' }
  | { readonly state: 'held'; readonly amountMsat: Msat; readonly blocksLeft: number }
  | { readonly state: 'settled'; readonly amountMsat: Msat; readonly preimage: string };

/**
 * Identifies an outgoing payment at the node. Nodes store payments by their payment hash, and a second payment of the hash may replace the
 * record of the first. An adapter therefore also stores the service's id with the record, to recognize the record of this payment.
 */
export interface PaymentReference {
  /** The idempotency key, chosen by the service. The node pays at most once per id. */
  readonly paymentId: string;
  readonly paymentHash: string;
  /** Another program sent it, without the id: what the node has under the payment hash is its record. It is only looked up. */
  readonly isForeign?: boolean | undefined;
  /**
   * Unix milliseconds. Set when the outcome of a request to send the payment is unclear: its response was lost, or the service stopped before it
   * arrived. The node may still execute that request, so for some time neither "no record" nor "failed" is final.
   */
  readonly unclearSinceMs?: number | undefined;
  /** Unix milliseconds. Until then, a process of the service has observed the node since `unclearSinceMs`. Absent: not at all. */
  readonly unclearCheckedAtMs?: number | undefined;
  /**
   * Unix milliseconds. Set only for the first request to send the payment: a time before the service stored the payment. Shortly after that
   * time, an adapter may send without looking for a record, because requests of other instances are unclear and cannot have ended the payment.
   */
  readonly firstRequestAtMs?: number | undefined;
}

export interface SendOrder extends PaymentReference {
  /** The amount that the receiver gets. It equals the invoice's amount if the invoice has one. */
  readonly amountMsat: Msat;
  /** The maximum routing fee. 0 permits only routes without a fee. */
  readonly feeLimitMsat: Msat;
  /**
   * Names the wallet of the payment, encrypted: up to 128 bytes in hex. The node keeps it with its record of the payment, and {@link SentPayment}
   * returns it. The first hop may see it.
   */
  readonly marker: string;
}

export interface PaymentOrder extends SendOrder {
  /** The BOLT 11 invoice. */
  readonly paymentRequest: string;
}

/** A payment without an invoice: the payer chooses the preimage and sends it in the onion, in TLV record 5482373484. Source: bLIP 3. */
export interface KeysendOrder extends SendOrder {
  /** The receiver's node id: a 33-byte compressed public key in hex. */
  readonly destination: string;
  /** 32 bytes in hex. Its SHA-256 is `paymentHash`. */
  readonly preimage: string;
  readonly customRecords: CustomRecords;
}

/** An outgoing payment as the node's own records show it. */
export interface SentPayment {
  /** The marker that `pay` or `keysend` got; undefined if the payment has none. Other programs may have sent it, or forged it. */
  readonly marker?: string | undefined;
  readonly paymentHash: string;
  /** Undefined for a keysend, and if the node has not kept it. */
  readonly paymentRequest?: string | undefined;
  /** What the receiver gets. Of a failed payment of an invoice without an amount, the node may not know it: 0. */
  readonly amountMsat: Msat;
  /** As the record is now. An earlier request to send the payment may still be executed. */
  readonly outcome: PaymentOutcome;
  /** Unix seconds. */
  readonly createdAt: number;
  /** Unix seconds. Absent while it is pending, and if the node does not know it. */
  readonly endedAt?: number | undefined;
}

/**
 * The position of an event in the node's history. Opaque text: only the adapter parses it. Every event has a different position, so a node
 * that was restored from an older backup rejects positions of the history that it lost.
 */
export type Position = string;

/** An incoming payment. */
export interface IncomingPayment {
  /** 32 bytes in hex. */
  readonly paymentHash: string;
  /** The amount received; it may exceed the invoice's amount. */
  readonly amountMsat: Msat;
  /** True for a keysend: the payment has no invoice. */
  readonly keysend: boolean;
  readonly customRecords: CustomRecords;
}

/**
 * An incoming payment that the node reports as claimed. Delivered at least once. A watch resumes after `position`. The money is certain only
 * when `settlementFinality` returns `final`.
 */
export interface Settlement extends IncomingPayment {
  readonly type: 'settlement';
  readonly position: Position;
  /** Identifies the HTLCs, so that `settlementFinality` need not look them up. Opaque text: only the adapter parses it. */
  readonly htlcs?: string | undefined;
  /** 32 bytes in hex. */
  readonly preimage: string;
  /** Unix seconds. */
  readonly settledAt: number;
}

/**
 * Whether a reported settlement is money of the node for good. A node reports it before it has removed the HTLCs from its channels, and may fail to
 * claim them if it is killed in between.
 * - `final`: the money is there. `amountMsat` is set if only some of the HTLCs arrived.
 * - `failed`: nothing arrived, and nothing will.
 * - `unknown`: not yet, or the node cannot tell. `reason` is for the operator, a clause without a full stop.
 */
export type SettlementFinality =
  | { readonly state: 'final'; readonly amountMsat?: Msat | undefined }
  | { readonly state: 'failed' }
  | { readonly state: 'unknown'; readonly reason?: string | undefined };

/** Identifies a settlement to the node that reported it. */
export type SettlementReference = Pick<Settlement, 'paymentHash' | 'htlcs'>;

/** An outgoing payment that has succeeded or failed. Delivered at least once. */
export interface PaymentUpdate {
  readonly type: 'payment';
  readonly position: Position;
  readonly paymentId: string;
  readonly outcome: PaymentOutcome;
}

export type NodeEvent = Settlement | PaymentUpdate;

/** Decides whether the node may claim an incoming payment, whose HTLCs have arrived at the node. `refuse` fails its HTLCs, which returns the money to the payer. */
export type IncomingGuard = (incoming: IncomingPayment) => Promise<'claim' | 'refuse'>;

/** Thrown when the node cannot be reached or is not ready. The call sent nothing, so a retry is safe. */
export class NodeUnavailable extends Error {
  override readonly name = 'NodeUnavailable';
}

/** Thrown when the node has an invoice with the payment hash of a new one. It created nothing. */
export class HashUsed extends Error {
  override readonly name = 'HashUsed';
}
/** Thrown when the credential does not permit the call. The node did nothing. */
export class NotPermitted extends NodeUnavailable {}
/** Thrown when the node has no event at a position that it reported earlier: it was restored from an older backup. */
export class HistoryChanged extends Error {
  override readonly name = 'HistoryChanged';
}
/**
 * The service's interface to its Lightning node. Adapters have no access to the database.
 *
 * `pay` and `keysend` are idempotent by `paymentId`: for an id that the node knows they return the payment's outcome and send nothing.
 * Recovery depends on this: the service may send any pending payment to the node again.
 * They throw {@link NodeUnavailable} only when certainly nothing was sent. After any other error the outcome is unknown.
 */
export interface LightningNode {
  /** Returns the node's identity and network. */
  info(): Promise<NodeInfo>;
  /** Creates an invoice on the node. Idempotent: the same preimage returns the same invoice. */
  createInvoice(request: InvoiceRequest): Promise<CreatedInvoice>;
  /** Creates a hold invoice on the node. Absent without the capability. @throws HashUsed also for a second call with the same hash. */
  createHoldInvoice?(request: HoldInvoiceRequest): Promise<CreatedInvoice>;
  /** Makes the node claim the payment that it holds for the hash of a preimage. Idempotent. Absent without the capability. */
  settleHoldInvoice?(preimage: string): Promise<SettleOutcome>;
  /** Returns a hold invoice; undefined when the node has none with this payment hash. Absent if the node has no hold invoices. */
  findHoldInvoice?(paymentHash: string): Promise<FoundHoldInvoice | undefined>;
  /** Returns the payments of hold invoices that wait at the node. Absent if the node has no hold invoices. */
  listHeldPayments?(): Promise<readonly HeldPayment[]>;
  /** Returns whether a channel still has an HTLC of a payment that was cancelled. Absent: it has none once the invoice is cancelled. */
  hasHtlcOf?(paymentHash: string): Promise<boolean>;
  /** Makes the node reject external payments of an invoice, also a held one, or returns why it is too late. Idempotent. */
  cancelInvoice(paymentHash: string): Promise<CancelOutcome>;
  /** Pays an invoice. Returns `pending` when the payment has not ended yet. */
  pay(order: PaymentOrder): Promise<PaymentOutcome>;
  /** Sends a keysend payment. Returns `pending` when the payment has not ended yet. */
  keysend(order: KeysendOrder): Promise<PaymentOutcome>;
  /** For how many milliseconds after its caller stopped a request to send a payment may still be executed, and then recorded. Absent: 0. */
  readonly lateRequestMs?: number;
  /** Returns `unclearSinceMs`, moved on by the time in which the node did not respond or nobody observed it. The service stores it. Absent: not moved. */
  unclearSince?(payment: PaymentReference): number;
  /** Returns the outcome of an outgoing payment; undefined when the node has no record of it. */
  lookupPayment(payment: PaymentReference): Promise<PaymentOutcome | undefined>;
  /** Returns the state of an invoice or of an incoming keysend; undefined when the node has no record of it. */
  lookupInvoice(paymentHash: string): Promise<InvoiceStatus | undefined>;
  /**
   * Returns whether a settlement is final. Waits up to `waitMs` for it to become so. Whatever the adapter does not understand is `unknown`.
   * @throws when the node does not answer; then it is unknown.
   */
  settlementFinality(settlement: SettlementReference, waitMs: number): Promise<SettlementFinality>;
  /** Sets the function that the node calls before it claims an incoming payment. Until then, incoming payments stay unclaimed. */
  guardIncoming(guard: IncomingGuard): void;
  /**
   * Streams the events after `position`, or all events, in order. The stream ends only when the signal aborts.
   * @throws HistoryChanged when the node has no event at the position.
   * @throws when the connection breaks. The caller then calls `watch` again with its last position.
   */
  watch(position: Position | undefined, signal: AbortSignal): AsyncIterable<NodeEvent>;
  /**
   * Streams the payment hashes of outgoing payments that may have ended, for nodes whose history of payments has no positions. A hash may be
   * missing or repeated and implies no outcome: the service looks up the payment. Absent if `watch` reports payments.
   * @throws when the connection breaks.
   */
  watchPayments?(signal: AbortSignal): AsyncIterable<string>;
  /** Reads the outgoing payments that the node recorded at or after a time, oldest first, also pending ones. Those without marker may be missing. */
  readSentPayments(query: RecordQuery): Promise<RecordPage<SentPayment>>;
  /** Reads the incoming payments that were settled at or after a time. Their order is the node's. Each is repeated by `watch`. */
  readSettlements(query: RecordQuery): Promise<RecordPage<Settlement>>;
  /**
   * Returns the newest settlement; undefined if there is none. A new ledger reads the events after it, because what arrived before is not for
   * its wallets. Absent: it reads all events.
   */
  newestSettlement?(): Promise<Settlement | undefined>;
  /** Returns whether the node has an event at the position. */
  knowsPosition(position: Position): Promise<boolean>;
  /** Collects what the node shows about a payment that it reports as pending. Changes nothing. Absent: it cannot prove a failure. */
  collectEvidence?(payment: PaymentReference): Promise<PaymentEvidence>;
  /** Finds out what the credential permits, without changing anything; undefined if the node is reached without one. */
  checkCredential?(): Promise<CredentialReport | undefined>;
  /** Returns routes for an amount, best first, from the node's current view of the network. Sends nothing. Absent if unsupported. */
  queryRoutes?(query: RouteQuery): Promise<readonly Route[]>;
  /**
   * Returns all channels of the node. Throws after ten seconds. Absent if unsupported.
   * @throws NotPermitted when the credential does not permit it.
   */
  listChannels?(): Promise<readonly NodeChannel[]>;
  /** Returns the node's own balance in its channels. */
  balance(): Promise<NodeBalance>;
  /** Returns those of the channels that were closed, also if they are not listed any more. Absent if the node does not keep them. */
  closedChannels?(ids: readonly string[]): Promise<readonly ClosedChannel[]>;
  /**
   * Stores the id of the ledger that owns the node, unless another ledger owns it already. A stored id equal to `replaces` is overwritten.
   * Returns the stored id. Idempotent. Absent if the node cannot store it.
   */
  claimForLedger?(ledgerId: string, replaces: string | undefined): Promise<string>;
  /** Releases the resources of the adapter, such as its connection to the node. */
  close(): Promise<void>;
}
