import type { Call } from './link.ts';
import type {
  HoldAction,
  OutsideInvoice,
  OutsideInvoiceRequest,
  OutsideKeysendRequest,
  OutsidePayment,
  OutsidePayRequest,
  PlaygroundDescription,
} from './protocol.ts';

/** The world outside the hub: two nodes that pay and are paid. Every method throws PlaygroundRefusal for what cannot be done. */
export interface PlaygroundControl {
  describe(): Promise<PlaygroundDescription>;
  /** An outside node pays an invoice. Resolves when that is final; `pending` when the hub's guard leaves it waiting for 10 s. */
  payInvoice(request: OutsidePayRequest): Promise<OutsidePayment>;
  /** An invoice of an outside node. */
  createInvoice(request: OutsideInvoiceRequest): Promise<OutsideInvoice>;
  /** An outside node pays the hub unasked; resolves like {@link payInvoice}. */
  keysend(request: OutsideKeysendRequest): Promise<OutsidePayment>;
  /** What the outside nodes say of their payments with an id above `after`, oldest first; at most 1,000 at once. */
  payments(after: number, limit: number): Promise<readonly OutsidePayment[]>;
  /** Settles or cancels a hold invoice whose payment waits; doing the same again is fine. */
  resolveHold(paymentHash: string, action: HoldAction): Promise<void>;
}

export function playgroundControl(call: Call): PlaygroundControl {
  return {
    describe: () => call('describe', null),
    payInvoice: (request) => call('outsidePay', request),
    createInvoice: (request) => call('outsideInvoice', request),
    keysend: (request) => call('outsideKeysend', request),
    payments: (after, limit) => call('outsidePayments', { after, limit }),
    resolveHold: async (paymentHash, action) => {
      await call('resolveHold', { paymentHash, action });
    },
  };
}
