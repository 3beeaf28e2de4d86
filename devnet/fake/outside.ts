import { type Msat, msat } from '../../src/core/kernel/money.ts';
import { decodeBolt11 } from '../../src/core/lightning/bolt11/bolt11.ts';
import type { CustomRecords } from '../../src/core/lightning/node.ts';
import { paymentHashOf } from '../../src/core/lightning/payment-hash.ts';
import { requireBytes32, requireDescription, requireExpiry, requireOutside, requireRecords, requireWhole } from '../checks.ts';
import {
  type HoldAction,
  NODE_NAMES,
  type OutsideInvoice,
  type OutsideName,
  type OutsidePayment,
  type OutsidePayRequest,
  type PlaygroundControl,
  PlaygroundRefusal,
} from '../test-network.ts';
import { playgroundChannels } from './channels.ts';
import type { ClaimGuards } from './claim-guards.ts';
import type { Arriving, Incoming } from './incoming.ts';
import type { NetworkState } from './network-state.ts';
import type { Outgoing } from './outgoing.ts';
import type { OutsideRecords } from './outside-records.ts';
import { type ArrivalScript, type PaymentScript, readArrival, readScript } from './script.ts';

export interface OutsideParts {
  readonly network: NetworkState;
  readonly records: OutsideRecords;
  readonly incoming: Incoming;
  readonly outgoing: Outgoing;
  readonly guards: ClaimGuards;
}

/** How an outside node pays our invoice: by default in full and at once, or as scripted in the invoice's memo. */
export interface PayOptions extends ArrivalScript {
  readonly paymentRequest: string;
  readonly from?: OutsideName;
  /** Required for an invoice without an amount. */
  readonly amountMsat?: number;
}

export interface KeysendOptions {
  readonly from?: OutsideName;
  readonly amountMsat: number;
  readonly customRecords?: CustomRecords;
  readonly claimDelayMs?: number;
}

export interface InvoiceOptions {
  /** The payer chooses the amount when it is absent. */
  readonly amountMsat?: number;
  /** May contain script words, see {@link readScript}. */
  readonly memo?: string;
  readonly at?: OutsideName;
  readonly expirySeconds?: number;
  /** Hex. The invoice contains it instead of the memo. */
  readonly descriptionHash?: string | undefined;
  /** Hex. Absent: derived from the seed. */
  readonly preimage?: string | undefined;
  readonly hold?: boolean;
  /** The behavior of our payment of this invoice. */
  readonly script?: PaymentScript;
}

/** The longest wait for the end of an outside payment, such as when a guard does not respond. */
const OUTSIDE_WAIT_MS = 10_000;
/** The time that a receiver waits for the other parts of a payment. Source: BOLT 4. */
const MPP_TIMEOUT_MS = 60_000;
const MAX_PAGE = 1_000;

/** Controls the outside nodes alice and carol. */
export class Outside {
  readonly #parts: OutsideParts;

  constructor(parts: OutsideParts) {
    this.#parts = parts;
  }

  /** Creates an invoice of an outside node. @throws PlaygroundRefusal */
  invoice(options: InvoiceOptions = {}): OutsideInvoice {
    const { amountMsat, memo = '', at = 'alice', expirySeconds = 3600, descriptionHash, preimage, hold = false, script = {} } = options;
    requireOutside(at);
    if (amountMsat !== undefined) requireWhole('amountMsat', amountMsat);
    requireDescription('memo', memo);
    if (descriptionHash !== undefined) requireBytes32('descriptionHash', descriptionHash);
    requireExpiry(expirySeconds);
    const { network } = this.#parts;
    return network.step(() => {
      const made = network.makeInvoice(at, { amountMsat, description: memo, expirySeconds, descriptionHash, preimage });
      const { paymentHash, paymentRequest, ...secret } = made;
      const amount = amountMsat ? msat(amountMsat) : undefined;
      const whole = { ...readScript(memo), ...script };
      const row = { ...secret, paymentRequest, at, amountMsat: amount, hold: hold || whole.hold === true, script: whole };
      network.tables.outsideInvoices.put(paymentHash, { ...row, state: 'open' });
      return { paymentRequest, paymentHash };
    });
  }

  /** Pays our invoice from an outside node. Resolves with the final state, or with `pending` if no guard decides. @throws PlaygroundRefusal */
  async pay(options: PayOptions): Promise<OutsidePayment> {
    const { from = 'alice' } = options;
    const { network, records } = this.#parts;
    const { paymentHash, amountMsat, memo } = this.#payable(options, from);
    const { arrivesMsat, partial = false, claimDelayMs, after } = { ...readArrival(memo), ...options };
    const arriving = msat(arrivesMsat ?? amountMsat);
    const id = network.step(() => {
      const outsideId = records.begin({ node: from, direction: 'sent', paymentHash, amountMsat: arriving });
      if (partial) network.schedule(MPP_TIMEOUT_MS, { type: 'give-up', outsideId });
      else this.#send({ paymentHash, amountMsat: arriving, keysend: false, customRecords: {}, outsideId, claimDelayMs, after });
      return outsideId;
    });
    return this.#final(id);
  }

  /** Sends our node a keysend payment from an outside node. @throws PlaygroundRefusal */
  async keysend({ from = 'alice', amountMsat, customRecords = {}, claimDelayMs }: KeysendOptions): Promise<OutsidePayment> {
    requireOutside(from);
    requireWhole('amountMsat', amountMsat, 1);
    requireRecords(customRecords);
    const { network, records } = this.#parts;
    const id = network.step(() => {
      const preimage = network.identities.secret(`preimage ${network.draws.count('preimages')}`);
      const paymentHash = paymentHashOf(preimage);
      const outsideId = records.begin({ node: from, direction: 'sent', paymentHash, amountMsat: msat(amountMsat) });
      this.#send({ paymentHash, amountMsat: msat(amountMsat), keysend: true, customRecords, preimage, outsideId, claimDelayMs });
      return outsideId;
    });
    return this.#final(id);
  }

  /** Returns the outside nodes' own records, oldest first. */
  payments(after = 0, limit = Number.MAX_SAFE_INTEGER): OutsidePayment[] {
    requireWhole('after', after);
    requireWhole('limit', limit, 1);
    return this.#parts.records.after(after, limit);
  }

  /** Settles or cancels a payment that a hold invoice's receiver holds. Idempotent. @throws PlaygroundRefusal */
  resolveHold(paymentHash: string, action: HoldAction): void {
    requireBytes32('paymentHash', paymentHash);
    const { network, records, outgoing } = this.#parts;
    const { held, outsideInvoices } = network.tables;
    const invoice = outsideInvoices.get(paymentHash);
    const arrival = held.get(paymentHash);
    if (!arrival && !invoice?.hold) throw new PlaygroundRefusal('there is no hold invoice with this payment hash');
    const wanted = action === 'settle' ? 'settled' : 'cancelled';
    if (invoice?.state === wanted) return;
    if (invoice?.state === 'settled' || invoice?.state === 'cancelled') throw new PlaygroundRefusal(`the hold invoice is ${invoice.state}`);
    if (action === 'settle' && !arrival) throw new PlaygroundRefusal('the hold invoice has not been paid yet');
    network.step(() => {
      held.delete(paymentHash);
      if (invoice) outsideInvoices.put(paymentHash, { ...invoice, state: wanted });
      if (arrival && action === 'settle') outgoing.arrive(arrival);
      if (arrival && action === 'cancel') {
        records.end(arrival.outsideId, 'failed');
        outgoing.fail(arrival.paymentId, 'INCORRECT_PAYMENT_DETAILS');
      }
    });
  }

  #send(arriving: Arriving): void {
    const claim = this.#parts.incoming.arrived(arriving);
    if (claim) this.#parts.guards.request(claim);
  }

  /** Waits for the final state only if a guard is connected, and if no hold invoice was paid: otherwise no decision follows soon. */
  #final(id: number): OutsidePayment | Promise<OutsidePayment> {
    const { records, guards, network } = this.#parts;
    const isHeld = network.tables.receipts.get(records.get(id).paymentHash)?.state === 'held';
    return guards.isGuarded && !isHeld ? records.final(id, OUTSIDE_WAIT_MS) : records.get(id);
  }

  #payable({ paymentRequest, amountMsat }: PayOptions, from: OutsideName): { paymentHash: string; amountMsat: Msat; memo: string } {
    requireOutside(from);
    const invoice = readInvoice(paymentRequest);
    if (invoice.expiresAt < this.#parts.network.nowSeconds()) throw new PlaygroundRefusal('the invoice has expired');
    if (amountMsat !== undefined) requireWhole('amountMsat', amountMsat, 1);
    if (invoice.amountMsat === undefined && amountMsat === undefined) throw new PlaygroundRefusal('the invoice has no amount; state one');
    if (invoice.amountMsat !== undefined && amountMsat !== undefined && invoice.amountMsat !== amountMsat)
      throw new PlaygroundRefusal('the invoice states another amount');
    const earlier = this.#parts.records.find({ node: from, direction: 'sent', paymentHash: invoice.paymentHash });
    if (earlier && earlier.state !== 'failed') throw new PlaygroundRefusal(`${from} has paid this invoice, or is paying it`);
    const { paymentHash, description: memo = '' } = invoice;
    return { paymentHash, amountMsat: msat(invoice.amountMsat ?? (amountMsat as number)), memo };
  }
}

/** Implements the control of the playground for the fake network, so the same routes serve both. */
export function fakeControl(outside: Outside, network: NetworkState): PlaygroundControl {
  const { identities } = network;
  return {
    describe: async () => ({
      network: 'regtest',
      nodes: NODE_NAMES.map((name) => ({ name, pubkey: identities.pubkeys[name] })),
      channels: playgroundChannels(network),
      unreachablePubkey: identities.unreachablePubkey,
    }),
    payInvoice: (request: OutsidePayRequest) => outside.pay(request),
    createInvoice: async (request) => outside.invoice(request),
    keysend: (request) => outside.keysend(request),
    payments: async (after, limit) => outside.payments(after, Math.min(limit, MAX_PAGE)),
    resolveHold: async (paymentHash, action) => outside.resolveHold(paymentHash, action),
  };
}

function readInvoice(paymentRequest: string) {
  try {
    return decodeBolt11(paymentRequest);
  } catch {
    throw new PlaygroundRefusal('the payment request is not an invoice');
  }
}
