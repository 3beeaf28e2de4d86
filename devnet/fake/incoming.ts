import { msat } from '../../src/kernel/money.ts';
import type {
  CancelOutcome,
  CreatedInvoice,
  CustomRecords,
  IncomingPayment,
  InvoiceRequest,
  InvoiceStatus,
} from '../../src/lightning/node.ts';
import { requireBytes32, requireDescription, requireExpiry, requireWhole } from '../checks.ts';
import type { EventLog } from './event-log.ts';
import type { OutsideRecords } from './outside-records.ts';
import type { Receipt } from './tables.ts';
import type { World } from './world.ts';

/** A payment on its way to our node. */
export interface Arriving extends IncomingPayment {
  /** Of a keysend; an invoice has its own. */
  readonly preimage?: string | undefined;
  readonly outsideId: number;
  /** How long our node takes to claim it once it may; `accepted` meanwhile. */
  readonly claimDelayMs?: number | undefined;
}

/** What waits for the guard. `askId` is new for every arrival, so that a late answer fits no other. */
export interface Ask {
  readonly askId: number;
  readonly incoming: IncomingPayment;
}

/** What our node receives. One receipt per payment hash; refusing deletes it, so its payer may try again. */
export class Incoming {
  readonly #world: World;
  readonly #log: EventLog;
  readonly #records: OutsideRecords;
  readonly #routeFee: (outsideId: number) => number;

  constructor(world: World, log: EventLog, records: OutsideRecords, routeFee: (outsideId: number) => number) {
    this.#world = world;
    this.#log = log;
    this.#records = records;
    this.#routeFee = routeFee;
  }

  createInvoice(wanted: InvoiceRequest): CreatedInvoice {
    if (wanted.amountMsat !== undefined) requireWhole('amountMsat', wanted.amountMsat);
    if (wanted.descriptionHash === undefined) requireDescription('description', wanted.description);
    else requireBytes32('descriptionHash', wanted.descriptionHash);
    requireExpiry(wanted.expirySeconds);
    const { amountMsat } = wanted;
    const { expiresAt, ...made } = this.#world.makeInvoice('hub', { ...wanted, amountMsat });
    const { paymentRequest, preimage } = made;
    const invoice = { preimage, paymentRequest, amountMsat: amountMsat || undefined, expiresAt, cancelled: false };
    this.#world.tables.ourInvoices.put(made.paymentHash, invoice);
    return made;
  }

  cancelInvoice(paymentHash: string): CancelOutcome {
    requireBytes32('paymentHash', paymentHash);
    const { ourInvoices, receipts } = this.#world.tables;
    const invoice = ourInvoices.get(paymentHash);
    if (!invoice) return 'unknown';
    const receipt = receipts.get(paymentHash);
    if (receipt?.state === 'settled') return 'settled';
    if (receipt?.state === 'claiming') return 'accepted';
    ourInvoices.put(paymentHash, { ...invoice, cancelled: true });
    if (receipt) this.#sendBack(paymentHash, receipt);
    return 'cancelled';
  }

  lookupInvoice(paymentHash: string): InvoiceStatus | undefined {
    requireBytes32('paymentHash', paymentHash);
    const receipt = this.#world.tables.receipts.get(paymentHash);
    if (receipt?.state === 'settled') return { state: 'settled', amountMsat: receipt.amountMsat, preimage: receipt.preimage };
    if (receipt?.state === 'claiming') return { state: 'accepted' };
    const invoice = this.#world.tables.ourInvoices.get(paymentHash);
    return invoice && { state: invoice.cancelled ? 'cancelled' : 'open' };
  }

  /** A payment reaches our door. @returns what to ask the guard; undefined when it went back at once. */
  arrived({ outsideId, preimage, claimDelayMs = 0, ...incoming }: Arriving): Ask | undefined {
    const { receipts, ourInvoices } = this.#world.tables;
    const known = preimage ?? ourInvoices.get(incoming.paymentHash)?.preimage;
    if (receipts.get(incoming.paymentHash) || known === undefined || !this.#isWanted(incoming)) {
      this.#records.end(outsideId, 'failed');
      return undefined;
    }
    const askId = this.#world.draws.count('asks');
    receipts.put(incoming.paymentHash, { ...incoming, askId, state: 'asked', preimage: known, outsideId, claimDelayMs });
    return { askId, incoming };
  }

  /** The guard's answer; a late one, to what has gone back meanwhile, changes nothing. */
  decide({ askId, incoming }: Ask, decision: 'claim' | 'refuse'): void {
    const receipt = this.#world.tables.receipts.get(incoming.paymentHash);
    if (receipt?.askId !== askId || receipt.state !== 'asked') return;
    if (decision === 'refuse') {
      this.#sendBack(incoming.paymentHash, receipt);
      return;
    }
    this.#world.tables.receipts.put(incoming.paymentHash, { ...receipt, state: 'claiming' });
    if (receipt.claimDelayMs > 0) this.#world.schedule(receipt.claimDelayMs, { type: 'claim', paymentHash: incoming.paymentHash });
    else this.claim(incoming.paymentHash);
  }

  /** The money is ours. */
  claim(paymentHash: string): void {
    const { receipts, balance } = this.#world.tables;
    const receipt = receipts.get(paymentHash);
    if (receipt?.state !== 'claiming') return;
    const { amountMsat, preimage, keysend, customRecords, outsideId } = receipt;
    receipts.put(paymentHash, { ...receipt, state: 'settled' });
    balance.put('local', msat((balance.get('local') ?? 0) + amountMsat));
    const settledAt = this.#world.nowSeconds();
    this.#log.append({ type: 'settlement', paymentHash, preimage, amountMsat, settledAt, keysend, customRecords });
    this.#records.end(outsideId, 'succeeded', this.#routeFee(outsideId));
  }

  /** What waits for the guard now. */
  asks(): Ask[] {
    const waiting = [...this.#world.tables.receipts.entries()].filter(([, receipt]) => receipt.state === 'asked');
    return waiting.map(([paymentHash, { askId, amountMsat, keysend, customRecords }]) => ({
      askId,
      incoming: { paymentHash, amountMsat, keysend, customRecords: customRecords as CustomRecords },
    }));
  }

  #isWanted({ paymentHash, amountMsat, keysend }: IncomingPayment): boolean {
    const invoice = this.#world.tables.ourInvoices.get(paymentHash);
    if (keysend) return !invoice;
    if (!invoice || invoice.cancelled || invoice.expiresAt <= this.#world.nowSeconds()) return false;
    // BOLT 4: not less than asked for, and not more than twice.
    const stated = invoice.amountMsat;
    return stated === undefined || (amountMsat >= stated && amountMsat <= 2 * stated);
  }

  #sendBack(paymentHash: string, receipt: Receipt): void {
    this.#world.tables.receipts.delete(paymentHash);
    this.#records.end(receipt.outsideId, 'failed');
  }
}
