import type { Msat } from '../../src/kernel/money.ts';
import type {
  CancelOutcome,
  CreatedInvoice,
  IncomingPayment,
  InvoiceRequest,
  InvoiceStatus,
  KeysendOrder,
  NodeEvent,
  PaymentOrder,
  PaymentOutcome,
  Position,
  Route,
  RouteQuery,
} from '../../src/lightning/node.ts';
import type {
  HoldAction,
  OutsideInvoice,
  OutsideInvoiceRequest,
  OutsideKeysendRequest,
  OutsidePayment,
  OutsidePayRequest,
  PlaygroundDescription,
} from '../../src/lightning/test-network.ts';

/** An incoming payment that waits for the guard. `askId` is new for every arrival, so that a late answer fits no other. */
export interface Ask {
  readonly askId: number;
  readonly incoming: IncomingPayment;
}

/** Every command of the playground: what is asked and what is answered. Plain data, so that any transport can carry it. */
export interface Protocol {
  describe: { ask: null; answer: PlaygroundDescription };
  createInvoice: { ask: InvoiceRequest; answer: CreatedInvoice };
  cancelInvoice: { ask: { readonly paymentHash: string }; answer: CancelOutcome };
  pay: { ask: PaymentOrder; answer: PaymentOutcome };
  keysend: { ask: KeysendOrder; answer: PaymentOutcome };
  lookupPayment: { ask: { readonly paymentId: string }; answer: PaymentOutcome | undefined };
  lookupInvoice: { ask: { readonly paymentHash: string }; answer: InvoiceStatus | undefined };
  /** The hub's events after a position, or from the beginning (null), oldest first; null when the hub has no event at the position. */
  events: { ask: { readonly after: Position | null; readonly limit: number }; answer: readonly NodeEvent[] | null };
  /** What waits for the guard now; later arrivals are announced. */
  openAsks: { ask: null; answer: readonly Ask[] };
  decide: { ask: { readonly askId: number; readonly decision: 'claim' | 'refuse' }; answer: null };
  queryRoutes: { ask: RouteQuery; answer: readonly Route[] };
  balance: { ask: null; answer: { readonly localMsat: Msat } };
  /** Answers the ledger that the hub belongs to now. */
  claimForLedger: { ask: { readonly ledgerId: string; readonly replaces?: string | undefined }; answer: string };
  outsidePay: { ask: OutsidePayRequest; answer: OutsidePayment };
  outsideInvoice: { ask: OutsideInvoiceRequest; answer: OutsideInvoice };
  outsideKeysend: { ask: OutsideKeysendRequest; answer: OutsidePayment };
  outsidePayments: { ask: { readonly after: number; readonly limit: number }; answer: readonly OutsidePayment[] };
  resolveHold: { ask: { readonly paymentHash: string; readonly action: HoldAction }; answer: null };
}

export type CommandName = keyof Protocol;

/** Whether a command may be given again when nobody knows what became of it: it only asks, and changes nothing. */
export const ONLY_ASKS: Readonly<Record<CommandName, boolean>> = {
  describe: true,
  createInvoice: false,
  cancelInvoice: false,
  pay: false,
  keysend: false,
  lookupPayment: true,
  lookupInvoice: true,
  events: true,
  openAsks: true,
  decide: false,
  queryRoutes: true,
  balance: true,
  // Idempotent.
  claimForLedger: true,
  outsidePay: false,
  outsideInvoice: false,
  outsideKeysend: false,
  outsidePayments: true,
  resolveHold: false,
};

export type AskOf<N extends CommandName> = Protocol[N]['ask'];
export type AnswerOf<N extends CommandName> = Protocol[N]['answer'];

export interface Request {
  readonly type: 'request';
  /** Chosen by the asker; the reply repeats it. */
  readonly id: number;
  readonly command: CommandName;
  readonly body: AskOf<CommandName>;
}

/** From a client to the playground. */
export type ToPlayground = Request | { readonly type: 'close' };

export type Reply =
  | { readonly type: 'answer'; readonly id: number; readonly value: unknown }
  /** It cannot be done, and nothing was. */
  | { readonly type: 'refusal'; readonly id: number; readonly message: string }
  /** The worker was away, and nothing was done. */
  | { readonly type: 'unavailable'; readonly id: number; readonly message: string }
  /** The worker broke while it had this. */
  | { readonly type: 'doubt'; readonly id: number; readonly message: string };

/** News for everybody, unasked. A lost one does no harm: everything it announces can be asked for. */
export type Notice = { readonly type: 'asks'; readonly asks: readonly Ask[] } | { readonly type: 'events'; readonly newest: number };

/** A line for the log of whoever runs the worker. */
export interface LogLine {
  readonly type: 'log';
  readonly level: 'info' | 'warn' | 'error';
  readonly fields: object;
  readonly message: string;
}

/** How a worker's life begins and ends. */
export type Lifecycle = { readonly type: 'ready' } | { readonly type: 'broken'; readonly message: string };

/** From the playground to a client. */
export type FromPlayground = Reply | Notice | LogLine | Lifecycle;
