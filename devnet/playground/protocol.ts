import type { Msat } from '../../src/core/kernel/money.ts';
import type * as node from '../../src/core/lightning/node.ts';
import type { NodeChannel } from '../../src/core/lightning/node-channel.ts';
import type { RecordPage, RecordQuery } from '../../src/core/lightning/record-page.ts';
import type { Route, RouteQuery } from '../../src/core/lightning/route.ts';
import type * as network from '../test-network.ts';

/** An incoming payment that waits for the claim guard. Every arrival has a new id, so that a late decision cannot apply to another arrival. */
export interface ClaimRequest {
  readonly askId: number;
  readonly incoming: node.IncomingPayment;
}

/** The commands to a service node of the playground, with their requests and responses. Everything is JSON. */
export interface Commands {
  describe: { request: null; response: network.PlaygroundDescription };
  createInvoice: { request: node.InvoiceRequest; response: node.CreatedInvoice };
  cancelInvoice: { request: { readonly paymentHash: string }; response: node.CancelOutcome };
  pay: { request: node.PaymentOrder; response: node.PaymentOutcome };
  keysend: { request: node.KeysendOrder; response: node.PaymentOutcome };
  lookupPayment: { request: { readonly paymentId: string }; response: node.PaymentOutcome | undefined };
  readSentPayments: { request: RecordQuery; response: RecordPage<node.SentPayment> };
  readSettlements: { request: RecordQuery; response: RecordPage<node.Settlement> };
  lookupInvoice: { request: { readonly paymentHash: string }; response: node.InvoiceStatus | undefined };
  /**
   * Returns the node's events after a position, or from the beginning (null), oldest first. Waits up to `waitMs` for the first one. Returns
   * null when the node has no event at the position.
   */
  events: {
    request: { readonly after: node.Position | null; readonly limit: number; readonly waitMs: number };
    response: readonly node.NodeEvent[] | null;
  };
  /** Returns the incoming payments with an id above `after` that wait for the claim guard. Waits up to `waitMs` for the first one. */
  claimRequests: { request: { readonly after: number; readonly waitMs: number }; response: readonly ClaimRequest[] };
  decideClaim: { request: { readonly askId: number; readonly decision: 'claim' | 'refuse' }; response: null };
  queryRoutes: { request: RouteQuery; response: readonly Route[] };
  listChannels: { request: null; response: readonly NodeChannel[] };
  balance: { request: null; response: { readonly localMsat: Msat } };
  /** Returns the id of the ledger that the node belongs to now. */
  claimForLedger: { request: { readonly ledgerId: string; readonly replaces?: string | undefined }; response: string };
  outsidePay: { request: network.OutsidePayRequest; response: network.OutsidePayment };
  outsideInvoice: { request: network.OutsideInvoiceRequest; response: network.OutsideInvoice };
  outsideKeysend: { request: network.OutsideKeysendRequest; response: network.OutsidePayment };
  outsidePayments: { request: { readonly after: number; readonly limit: number }; response: readonly network.OutsidePayment[] };
  resolveHold: { request: { readonly paymentHash: string; readonly action: network.HoldAction }; response: null };
}

export type CommandName = keyof Commands;
export type RequestOf<N extends CommandName> = Commands[N]['request'];
export type ResponseOf<N extends CommandName> = Commands[N]['response'];

/** Whether a command may be sent again when its outcome is unknown: it only reads, or it is idempotent. */
export const MAY_REPEAT: Readonly<Record<CommandName, boolean>> = {
  describe: true,
  createInvoice: false,
  cancelInvoice: false,
  pay: false,
  keysend: false,
  lookupPayment: true,
  readSentPayments: true,
  readSettlements: true,
  lookupInvoice: true,
  events: true,
  claimRequests: true,
  decideClaim: false,
  queryRoutes: true,
  listChannels: true,
  balance: true,
  claimForLedger: true,
  outsidePay: false,
  outsideInvoice: false,
  outsideKeysend: false,
  outsidePayments: true,
  resolveHold: false,
};

/** Longer waits would look like a broken connection to a client of a shared playground. */
export const MAX_WAIT_MS = 20_000;

/**
 * Sends a command to the playground.
 * @throws PlaygroundRefusal, NodeUnavailable: nothing was done
 * @throws OutcomeUnknown
 */
export type Call = <N extends CommandName>(command: N, request: RequestOf<N>) => Promise<ResponseOf<N>>;

/** Carries commands to a playground: to a worker thread, or to another process. */
export interface Transport {
  readonly call: Call;
  close(): Promise<void>;
}
