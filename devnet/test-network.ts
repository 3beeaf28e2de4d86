import type { Msat } from '../src/core/kernel/money.ts';
import type { CustomRecords, LightningNode } from '../src/core/lightning/node.ts';

/** The nodes of a test network: `hub` is our node, `carol` is reachable through `alice` only. A playground can have more of our nodes. */
export const NODE_NAMES = ['hub', 'alice', 'carol'] as const;

export type NodeName = (typeof NODE_NAMES)[number];

/** A node that is not ours. */
export type OutsideName = Exclude<NodeName, 'hub'>;

/** A channel of a test network, with the balance of each side in the order of the nodes. */
export interface PlaygroundChannel {
  /** The names of its nodes. */
  readonly nodes: readonly [string, string];
  readonly capacityMsat: Msat;
  /** What each node can send to the other. */
  readonly spendableMsat: readonly [Msat, Msat];
}

export interface PlaygroundDescription {
  readonly network: 'regtest';
  /** Public keys are 33 bytes in hex. */
  readonly nodes: readonly { readonly name: string; readonly pubkey: string }[];
  /** Absent if the network does not report them. */
  readonly channels?: readonly PlaygroundChannel[];
  /** A valid public key that no node has. Payments to it find no route. */
  readonly unreachablePubkey: string;
}

/** A payment as an outside node recorded it, independent of our node and our ledger. */
export interface OutsidePayment {
  /** Increases with each new payment. It stays the same when the state changes. */
  readonly id: number;
  readonly node: OutsideName;
  readonly direction: 'received' | 'sent';
  readonly paymentHash: string;
  readonly amountMsat: Msat;
  readonly feeMsat: Msat;
  readonly state: 'succeeded' | 'failed' | 'pending';
}

export interface OutsidePayRequest {
  readonly paymentRequest: string;
  readonly from: OutsideName;
  /** Only for an invoice without an amount. */
  readonly amountMsat?: Msat;
}

export interface OutsideInvoiceRequest {
  /** Absent: the payer chooses the amount. */
  readonly amountMsat?: Msat;
  /** At most 639 bytes. */
  readonly memo: string;
  /** Hex. The invoice contains it instead of the memo. */
  readonly descriptionHash?: string | undefined;
  readonly at: OutsideName;
  readonly expirySeconds: number;
  /** Whether a payment of this invoice is held until {@link PlaygroundControl.resolveHold} is called. */
  readonly hold: boolean;
}

export interface OutsideInvoice {
  readonly paymentRequest: string;
  readonly paymentHash: string;
}

export interface OutsideKeysendRequest {
  readonly from: OutsideName;
  readonly amountMsat: Msat;
  readonly customRecords: CustomRecords;
}

export type HoldAction = 'settle' | 'cancel';

/**
 * Controls the outside nodes of a test network: they pay our node and are paid by it.
 *
 * Each method throws {@link PlaygroundRefusal} for an invalid request and {@link OutcomeUnknown} when the network stopped before it answered.
 */
export interface PlaygroundControl {
  describe(): Promise<PlaygroundDescription>;
  /** Lets an outside node pay an invoice. Resolves when the payment has ended, or after 10 s as `pending` while our guard has not decided. */
  payInvoice(request: OutsidePayRequest): Promise<OutsidePayment>;
  /** Creates an invoice at an outside node. */
  createInvoice(request: OutsideInvoiceRequest): Promise<OutsideInvoice>;
  /** Lets an outside node send a keysend payment to our node. Resolves like {@link payInvoice}. */
  keysend(request: OutsideKeysendRequest): Promise<OutsidePayment>;
  /** Returns the outside nodes' payments with an id above `after`, oldest first. At most 1,000 are returned at once. */
  payments(after: number, limit: number): Promise<readonly OutsidePayment[]>;
  /** Settles or cancels a held payment by its payment hash. Idempotent. */
  resolveHold(paymentHash: string, action: HoldAction): Promise<void>;
}

/** A test network: our node, and the control of the outside nodes. */
export interface TestNetwork {
  readonly node: LightningNode;
  readonly control: PlaygroundControl;
}

/** The test network rejected a request and did nothing. The message gives the reason to the user. */
export class PlaygroundRefusal extends Error {
  override readonly name = 'PlaygroundRefusal';
}

/** The test network, or the connection to it, broke before it answered. The request may or may not have been carried out. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}
