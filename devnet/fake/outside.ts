import { type Msat, msat } from '../../src/kernel/money.ts';
import { decodeBolt11 } from '../../src/lightning/bolt11/bolt11.ts';
import type { CustomRecords } from '../../src/lightning/node.ts';
import {
  type HoldAction,
  NODE_NAMES,
  type OutsideInvoice,
  type OutsideName,
  type OutsidePayment,
  type OutsidePayRequest,
  type PlaygroundControl,
  PlaygroundRefusal,
} from '../../src/lightning/test-network.ts';
import { requireBytes32, requireDescription, requireExpiry, requireOutside, requireRecords, requireWhole } from '../checks.ts';
import type { Gate } from './gate.ts';
import { hashOf } from './identities.ts';
import type { Arriving, Incoming } from './incoming.ts';
import type { Outgoing } from './outgoing.ts';
import type { OutsideRecords } from './outside-records.ts';
import { type ArrivalScript, type PaymentScript, readArrival, readScript } from './script.ts';
import type { World } from './world.ts';

export interface OutsideParts {
  readonly world: World;
  readonly records: OutsideRecords;
  readonly incoming: Incoming;
  readonly outgoing: Outgoing;
  readonly gate: Gate;
}

/** How an outside node pays us; without anything: whole, at once, or as the words of the invoice's memo say. */
export interface PayOptions extends ArrivalScript {
  readonly paymentRequest: string;
  readonly from?: OutsideName;
  /** For an invoice that leaves the amount open. */
  readonly amountMsat?: number;
}

export interface KeysendOptions {
  readonly from?: OutsideName;
  readonly amountMsat: number;
  readonly customRecords?: CustomRecords;
  readonly claimDelayMs?: number;
}

export interface InvoiceOptions {
  /** Absent: any amount. */
  readonly amountMsat?: number;
  /** Its words are read as a script too. */
  readonly memo?: string;
  readonly at?: OutsideName;
  readonly expirySeconds?: number;
  readonly hold?: boolean;
  /** What becomes of our payment of it. */
  readonly script?: PaymentScript;
}

/** How long an outside payment is waited for when a guard does not answer. */
const OUTSIDE_WAIT_MS = 10_000;
/** BOLT 4: how long a payee waits for the rest of a payment. */
const MPP_TIMEOUT_MS = 60_000;
const MAX_PAGE = 1_000;

/** Alice and carol, as a test moves them. */
export class Outside {
  readonly #parts: OutsideParts;

  constructor(parts: OutsideParts) {
    this.#parts = parts;
  }

  /** An invoice of an outside node. @throws PlaygroundRefusal */
  invoice({ amountMsat, memo = '', at = 'alice', expirySeconds = 3600, hold = false, script = {} }: InvoiceOptions = {}): OutsideInvoice {
    requireOutside(at);
    if (amountMsat !== undefined) requireWhole('amountMsat', amountMsat);
    requireDescription('memo', memo);
    requireExpiry(expirySeconds);
    const { world } = this.#parts;
    return world.step(() => {
      const made = world.makeInvoice(at, { amountMsat, description: memo, expirySeconds });
      const { paymentHash, paymentRequest, ...secret } = made;
      const amount = amountMsat ? msat(amountMsat) : undefined;
      const whole = { ...readScript(memo), ...script };
      const row = { ...secret, paymentRequest, at, amountMsat: amount, hold: hold || whole.hold === true, script: whole };
      world.tables.outsideInvoices.put(paymentHash, { ...row, state: 'open' });
      return { paymentRequest, paymentHash };
    });
  }

  /** An outside node pays an invoice of ours. Resolves when that is final; `pending` when nobody decides. @throws PlaygroundRefusal */
  async pay(options: PayOptions): Promise<OutsidePayment> {
    const { from = 'alice' } = options;
    const { world, records } = this.#parts;
    const { paymentHash, amountMsat, memo } = this.#payable(options, from);
    const { arrivesMsat, partial = false, claimDelayMs } = { ...readArrival(memo), ...options };
    const arriving = msat(arrivesMsat ?? amountMsat);
    const id = world.step(() => {
      const outsideId = records.begin({ node: from, direction: 'sent', paymentHash, amountMsat: arriving });
      if (partial) world.schedule(MPP_TIMEOUT_MS, { type: 'give-up', outsideId });
      else this.#send({ paymentHash, amountMsat: arriving, keysend: false, customRecords: {}, outsideId, claimDelayMs });
      return outsideId;
    });
    return this.#final(id);
  }

  /** An outside node pays us unasked. */
  async keysend({ from = 'alice', amountMsat, customRecords = {}, claimDelayMs }: KeysendOptions): Promise<OutsidePayment> {
    requireOutside(from);
    requireWhole('amountMsat', amountMsat, 1);
    requireRecords(customRecords);
    const { world, records } = this.#parts;
    const id = world.step(() => {
      const preimage = world.identities.secret(`preimage ${world.draws.count('preimages')}`);
      const paymentHash = hashOf(preimage);
      const outsideId = records.begin({ node: from, direction: 'sent', paymentHash, amountMsat: msat(amountMsat) });
      this.#send({ paymentHash, amountMsat: msat(amountMsat), keysend: true, customRecords, preimage, outsideId, claimDelayMs });
      return outsideId;
    });
    return this.#final(id);
  }

  /** What the outside nodes themselves say, oldest first. */
  payments(after = 0, limit = Number.MAX_SAFE_INTEGER): OutsidePayment[] {
    requireWhole('after', after);
    requireWhole('limit', limit, 1);
    return this.#parts.records.after(after, limit);
  }

  /** The receiver settles or cancels a payment of ours that it holds. Doing again what was done is fine. @throws PlaygroundRefusal */
  resolveHold(paymentHash: string, action: HoldAction): void {
    requireBytes32('paymentHash', paymentHash);
    const { world, records, outgoing } = this.#parts;
    const { held, outsideInvoices } = world.tables;
    const invoice = outsideInvoices.get(paymentHash);
    const arrival = held.get(paymentHash);
    if (!arrival && !invoice?.hold) throw new PlaygroundRefusal('there is no hold invoice with this payment hash');
    const wanted = action === 'settle' ? 'settled' : 'cancelled';
    if (invoice?.state === wanted) return;
    if (invoice?.state === 'settled' || invoice?.state === 'cancelled') throw new PlaygroundRefusal(`the hold invoice is ${invoice.state}`);
    if (action === 'settle' && !arrival) throw new PlaygroundRefusal('the hold invoice has not been paid yet');
    world.step(() => {
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
    const ask = this.#parts.incoming.arrived(arriving);
    if (ask) this.#parts.gate.ask(ask);
  }

  /** Without anybody to decide, nothing will happen that is worth waiting for. */
  #final(id: number): OutsidePayment | Promise<OutsidePayment> {
    const { records, gate } = this.#parts;
    return gate.isGuarded ? records.final(id, OUTSIDE_WAIT_MS) : records.get(id);
  }

  #payable({ paymentRequest, amountMsat }: PayOptions, from: OutsideName): { paymentHash: string; amountMsat: Msat; memo: string } {
    requireOutside(from);
    const invoice = readInvoice(paymentRequest);
    if (invoice.expiresAt < this.#parts.world.nowSeconds()) throw new PlaygroundRefusal('the invoice has expired');
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

/** The same hand that moves the playground, so that the same routes work. */
export function fakeControl(outside: Outside, { identities }: World): PlaygroundControl {
  return {
    describe: async () => ({
      network: 'regtest',
      nodes: NODE_NAMES.map((name) => ({ name, pubkey: identities.pubkeys[name] })),
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
