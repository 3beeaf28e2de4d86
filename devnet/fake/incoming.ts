import { msat } from '../../src/core/kernel/money.ts';
import {
  type CancelOutcome,
  type CreatedInvoice,
  type CustomRecords,
  type FoundHoldInvoice,
  HashUsed,
  type HeldPayment,
  type HoldInvoiceRequest,
  type IncomingPayment,
  type InvoiceRequest,
  type InvoiceStatus,
  type SettlementFinality,
  type SettleOutcome,
} from '../../src/core/lightning/node.ts';
import { paymentHashOf } from '../../src/core/lightning/payment-hash.ts';
import { requireBytes32, requireInvoiceRequest } from '../checks.ts';
import type { EventLog } from './event-log.ts';
import { MAX_FINAL_DELAY_MS } from './faults.ts';
import type { NetworkState } from './network-state.ts';
import type { OutsideRecords } from './outside-records.ts';
import type { AfterReport, Receipt } from './tables.ts';

/** The blocks until the HTLC of a hold invoice expires, unless the invoice has another number. */
const HOLD_BLOCKS = 144;
const BLOCK_MS = 600_000;
/** The node cancels a held payment when so many blocks are left. Source: `DefaultHoldInvoiceExpiryDelta` in LND's `lncfg`. */
const NODE_MARGIN_BLOCKS = 12;

/** An incoming payment that has not reached our node yet. */
export interface Arriving extends IncomingPayment {
  /** The preimage of a keysend. The preimage of an invoice is in its row. */
  readonly preimage?: string | undefined;
  /** The id of the payer's record. */
  readonly outsideId: number;
  /** The time from the guard's decision to the claim. The invoice is `accepted` meanwhile. */
  readonly claimDelayMs?: number | undefined;
  /** What happens after the report. Absent: it is final at once. */
  readonly after?: AfterReport | undefined;
}

/** A request to the claim guard. Every arrival has a new `askId`, so a late decision cannot apply to a later payment. */
export interface ClaimRequest {
  readonly askId: number;
  readonly incoming: IncomingPayment;
}

/** The payments that our node receives. Each payment hash has one receipt. A refusal deletes it, so the payer may try again. */
export class Incoming {
  readonly #network: NetworkState;
  readonly #log: EventLog;
  readonly #records: OutsideRecords;
  readonly #routeFee: (outsideId: number) => number;
  readonly #planned: AfterReport[] = [];

  constructor(network: NetworkState, log: EventLog, records: OutsideRecords, routeFee: (outsideId: number) => number) {
    this.#network = network;
    this.#log = log;
    this.#records = records;
    this.#routeFee = routeFee;
  }

  createInvoice(request: InvoiceRequest): CreatedInvoice {
    requireInvoiceRequest(request);
    const { amountMsat, preimage } = request;
    const { ourInvoices } = this.#network.tables;
    const known = ourInvoices.get(paymentHashOf(preimage));
    if (known) return { paymentRequest: known.paymentRequest };
    const { paymentHash, paymentRequest, expiresAt } = this.#network.makeInvoice('hub', { ...request, amountMsat });
    const invoice = { preimage, paymentRequest, amountMsat: amountMsat || undefined, expiresAt, cancelled: false };
    ourInvoices.put(paymentHash, invoice);
    return { paymentRequest };
  }

  createHoldInvoice({ paymentHash, minFinalCltvBlocks, ...request }: HoldInvoiceRequest): CreatedInvoice {
    requireBytes32('paymentHash', paymentHash);
    requireInvoiceRequest({ ...request, preimage: paymentHash });
    const { ourInvoices, receipts } = this.#network.tables;
    if (ourInvoices.get(paymentHash) || receipts.get(paymentHash))
      throw new HashUsed('the fake node has an invoice with this payment hash');
    const finalBlocks = minFinalCltvBlocks ?? HOLD_BLOCKS;
    const { amountMsat } = request;
    const { paymentRequest, expiresAt } = this.#network.makeInvoice('hub', { ...request, amountMsat, paymentHash, finalBlocks });
    ourInvoices.put(paymentHash, { paymentRequest, amountMsat: amountMsat || undefined, expiresAt, cancelled: false, finalBlocks });
    return { paymentRequest };
  }

  settleHoldInvoice(preimage: string): SettleOutcome {
    requireBytes32('preimage', preimage);
    const paymentHash = paymentHashOf(preimage);
    this.#expireHold(paymentHash);
    const { ourInvoices, receipts } = this.#network.tables;
    const invoice = ourInvoices.get(paymentHash);
    if (!invoice) return 'unknown';
    const receipt = receipts.get(paymentHash);
    if (!receipt) return invoice.cancelled ? 'cancelled' : 'open';
    if (receipt.state === 'held') {
      receipts.put(paymentHash, { ...receipt, preimage, state: 'claiming' });
      this.claim(paymentHash);
    }
    return 'settled';
  }

  findHoldInvoice(paymentHash: string): FoundHoldInvoice | undefined {
    this.#expireHold(paymentHash);
    const invoice = this.#network.tables.ourInvoices.get(paymentHash);
    if (!invoice || invoice.preimage !== undefined) return undefined;
    const isPaid = this.#network.tables.receipts.get(paymentHash) !== undefined;
    return { paymentRequest: invoice.paymentRequest, isCancelled: invoice.cancelled && !isPaid };
  }

  listHeldPayments(): HeldPayment[] {
    const { receipts, ourInvoices } = this.#network.tables;
    return [...receipts.entries()].flatMap(([paymentHash, receipt]) => {
      if (receipt.state !== 'held') return [];
      const { paymentRequest = '' } = ourInvoices.get(paymentHash) ?? {};
      return [{ paymentHash, paymentRequest, amountMsat: receipt.amountMsat, blocksLeft: this.#blocksLeft(receipt) }];
    });
  }

  cancelInvoice(paymentHash: string): CancelOutcome {
    requireBytes32('paymentHash', paymentHash);
    this.#expireHold(paymentHash);
    const { ourInvoices, receipts } = this.#network.tables;
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
    this.#expireHold(paymentHash);
    const receipt = this.#network.tables.receipts.get(paymentHash);
    if (receipt?.state === 'held') return { state: 'held', amountMsat: receipt.amountMsat, blocksLeft: this.#blocksLeft(receipt) };
    if (receipt?.state === 'settled') return { state: 'settled', amountMsat: receipt.amountMsat, preimage: receipt.preimage };
    if (receipt?.state === 'claiming') return { state: 'accepted' };
    const invoice = this.#network.tables.ourInvoices.get(paymentHash);
    return invoice && { state: invoice.cancelled ? 'cancelled' : 'open' };
  }

  /** Handles the arrival of a payment at our node. @returns the request to the guard; undefined if the node decided at once. */
  arrived({ outsideId, preimage, claimDelayMs = 0, after, ...incoming }: Arriving): ClaimRequest | undefined {
    const { receipts, ourInvoices } = this.#network.tables;
    const invoice = ourInvoices.get(incoming.paymentHash);
    const isHold = invoice !== undefined && invoice.preimage === undefined;
    const known = isHold ? '' : (preimage ?? invoice?.preimage);
    if (receipts.get(incoming.paymentHash) || known === undefined || !this.#isPayable(incoming)) {
      this.#records.end(outsideId, 'failed');
      return undefined;
    }
    const askId = this.#network.draws.count('asks');
    const receipt = { ...incoming, askId, state: 'asked', preimage: known, outsideId, claimDelayMs, after } as const;
    if (isHold) {
      const expiresAtMs = this.#network.time.nowMs() + (invoice.finalBlocks ?? HOLD_BLOCKS) * BLOCK_MS;
      receipts.put(incoming.paymentHash, { ...receipt, state: 'held', expiresAtMs });
      return undefined;
    }
    receipts.put(incoming.paymentHash, receipt);
    if (this.#isGuarded(incoming)) return { askId, incoming };
    this.decide({ askId, incoming }, 'claim');
    return undefined;
  }

  /** Applies the guard's decision. A late decision on a payment that was failed meanwhile has no effect. */
  decide({ askId, incoming }: ClaimRequest, decision: 'claim' | 'refuse'): void {
    const receipt = this.#network.tables.receipts.get(incoming.paymentHash);
    if (receipt?.askId !== askId || receipt.state !== 'asked') return;
    if (decision === 'refuse') {
      this.#sendBack(incoming.paymentHash, receipt);
      return;
    }
    this.#network.tables.receipts.put(incoming.paymentHash, { ...receipt, state: 'claiming' });
    if (receipt.claimDelayMs > 0) this.#network.schedule(receipt.claimDelayMs, { type: 'claim', paymentHash: incoming.paymentHash });
    else this.claim(incoming.paymentHash);
  }

  /** Sets what happens after the report of the next settlement. */
  plan(after: AfterReport): void {
    this.#planned.push(after);
  }

  /** Claims the payment and writes the settlement event. Unless planned otherwise, the settlement is final at once. */
  claim(paymentHash: string): void {
    const { receipts } = this.#network.tables;
    const receipt = receipts.get(paymentHash);
    if (receipt?.state !== 'claiming') return;
    const { amountMsat, preimage, keysend, customRecords } = receipt;
    const after = receipt.after ?? this.#planned.shift() ?? this.#drawn();
    receipts.put(paymentHash, { ...receipt, state: 'settled', after });
    const settledAt = this.#network.nowSeconds();
    this.#log.append({ type: 'settlement', paymentHash, preimage, amountMsat, settledAt, keysend, customRecords });
    if (!after || after.afterMs === 0) this.endSettlement(paymentHash);
    else if (after.afterMs !== undefined) this.#network.schedule(after.afterMs, { type: 'end-settlement', paymentHash });
  }

  /** Ends a settlement that was reported: the money arrives, or goes back to the payer. */
  endSettlement(paymentHash: string, end?: 'final' | 'lost'): void {
    const { receipts, balance } = this.#network.tables;
    const receipt = receipts.get(paymentHash);
    if (receipt?.state !== 'settled' || receipt.finality !== undefined) return;
    const { amountMsat, outsideId, after } = receipt;
    const ending = end ?? after?.end ?? 'final';
    if (ending === 'lost') {
      receipts.put(paymentHash, { ...receipt, finality: 'failed' });
      this.#records.end(outsideId, 'failed');
      return;
    }
    if (this.#records.get(outsideId).state !== 'succeeded') {
      balance.put('local', msat((balance.get('local') ?? 0) + amountMsat));
      this.#records.end(outsideId, 'succeeded', this.#routeFee(outsideId));
    }
    if (ending === 'final') receipts.put(paymentHash, { ...receipt, finality: 'final' });
  }

  /** A settlement that a test wrote into the log has no receipt, and is final. */
  settlementFinality(paymentHash: string): SettlementFinality {
    requireBytes32('paymentHash', paymentHash);
    const receipt = this.#network.tables.receipts.get(paymentHash);
    if (!receipt) return { state: 'final' };
    return { state: receipt.state === 'settled' ? (receipt.finality ?? 'unknown') : 'unknown' };
  }

  #drawn(): AfterReport | undefined {
    const { faults, draws } = this.#network;
    const [isLost, isLate] = [faults.happens('neverArrives'), faults.happens('lateFinal')];
    if (!isLost && !isLate) return undefined;
    return { end: isLost ? 'lost' : 'final', afterMs: isLate ? draws.below('lateFinalMs', MAX_FINAL_DELAY_MS) : 0 };
  }

  /** Returns the requests that wait for a decision of the guard. */
  claimRequests(): ClaimRequest[] {
    const waiting = [...this.#network.tables.receipts.entries()].filter(([, receipt]) => receipt.state === 'asked');
    return waiting.map(([paymentHash, { askId, amountMsat, keysend, customRecords }]) => ({
      askId,
      incoming: { paymentHash, amountMsat, keysend, customRecords: customRecords as CustomRecords },
    }));
  }

  #isGuarded({ keysend }: IncomingPayment): boolean {
    const { guards } = this.#network.profile.capabilities;
    return guards === 'all' || (guards === 'keysends' && keysend);
  }

  #isPayable({ paymentHash, amountMsat, keysend }: IncomingPayment): boolean {
    const invoice = this.#network.tables.ourInvoices.get(paymentHash);
    if (keysend) return !invoice && this.#network.profile.capabilities.receivesKeysend;
    if (!invoice || invoice.cancelled || invoice.expiresAt <= this.#network.nowSeconds()) return false;
    // BOLT 4: the receiver accepts at least the invoice's amount and at most twice as much.
    const stated = invoice.amountMsat;
    return stated === undefined || (amountMsat >= stated && amountMsat <= 2 * stated);
  }

  #blocksLeft({ expiresAtMs = 0 }: Receipt): number {
    return Math.ceil((expiresAtMs - this.#network.time.nowMs()) / BLOCK_MS);
  }

  /** The node cancels a held payment before its HTLC expires. */
  #expireHold(paymentHash: string): void {
    const { receipts, ourInvoices } = this.#network.tables;
    const [receipt, invoice] = [receipts.get(paymentHash), ourInvoices.get(paymentHash)];
    if (receipt?.state !== 'held' || !invoice || this.#blocksLeft(receipt) > NODE_MARGIN_BLOCKS) return;
    ourInvoices.put(paymentHash, { ...invoice, cancelled: true });
    this.#sendBack(paymentHash, receipt);
  }

  #sendBack(paymentHash: string, receipt: Receipt): void {
    this.#network.tables.receipts.delete(paymentHash);
    this.#records.end(receipt.outsideId, 'failed');
  }
}
