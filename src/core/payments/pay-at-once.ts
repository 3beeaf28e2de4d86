import { checkLimits } from '../budgets/budgets.ts';
import { countedOwners } from '../budgets/limits.ts';
import type { NodeConnection } from '../connection/connection.ts';
import type { FeePosting } from '../fees/fees.ts';
import {
  closeToOutside,
  linkPaymentRows,
  type OutsideState,
  recordClosedOutside,
  repeatable,
  settledAtOnceRow,
} from '../invoices/close.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { traceRows } from '../journal/event-traces.ts';
import { searchRows } from '../journal/search-words.ts';
import { walletTransactionId } from '../journal/wallet-transaction-id.ts';
import { invariant } from '../kernel/assert.ts';
import { markBooked, outsideRequest } from '../kernel/booking-mark.ts';
import { unixSeconds, withTimeout } from '../kernel/clock.ts';
import { errorMessage } from '../kernel/log.ts';
import { msat, ZERO_MSAT } from '../kernel/money.ts';
import { Refusal } from '../kernel/refusal.ts';
import { InsufficientBalance, type Posting, type Receipt } from '../ledger/ledger.ts';
import type { Reservation } from '../ledger/reservations.ts';
import { NodeUnavailable } from '../lightning/node.ts';
import { walletGuard } from '../wallets/wallets.ts';
import { amountTransfer, serviceFeePosting } from './conclude.ts';
import { findReplayed, invoicePaid, type PaymentDraft, requiredMsat, type StartedPayment, sendingGuards, toReplay } from './hold.ts';
import { newParameters, type Payment } from './payment.ts';
import * as sql from './payments.sql.ts';
import type { PaymentContext } from './payments.ts';

/*
 * An internal payment in one posting. The node of the invoice cancels it first, so that no outside payer can pay it; then one posting debits the
 * payer, credits the payee and settles the invoice. A node that does not confirm moves nothing. If the process stops between the two steps, or the
 * posting is refused, nothing has moved, but from then on only wallets of this service can pay the invoice. So:
 * - What can refuse the payment is checked before: the states and the key, the amount, the balance. The money is reserved in this process meanwhile.
 * - An account whose payment was refused nevertheless, as when another instance spends the money at that moment, pays with holds for a day (hold.ts).
 *   The money is then held before the node is asked.
 * - What others can use up at the same moment needs a hold: limits, budgets, the uses of withdraw links. So do hold invoices, whose payment waits, and
 *   requests that do not wait for the node.
 */

/** How long the node may take to cancel the invoice. */
const CLOSE_MS = 10_000;
/** The most payments of a wallet that are made in this way at the same time. Others hold their money. */
const MAX_PER_WALLET = 4;

/** A payment of an invoice of this service. */
export interface InternalDraft extends PaymentDraft {
  readonly issued: Invoice;
}

/**
 * Pays an invoice of another wallet, if one posting can: see above. The caller has found no live payment of the payment hash, and that wallet and
 * account of both sides allow it.
 * @returns the payment, which has succeeded, or which an earlier request started; undefined if the payment needs a hold.
 * @throws Refusal, NodeUnavailable when nothing was paid.
 */
export async function payAtOnce(context: PaymentContext, draft: InternalDraft): Promise<StartedPayment | undefined> {
  const { payment, issued, limits, mustNotWait } = draft;
  const { payingAtOnce, connections, ledger } = context;
  if (issued.isHold || payment.linkId !== undefined || mustNotWait) return undefined;
  if (limits?.budget || countedOwners([], limits).length > 0) return undefined;
  await context.quarantine.requireNone();
  const connection = connections.of(issued.nodeId);
  await connection.requireAvailable();
  requireRunning(context);
  ledger.requireCapacity();
  const other = payingAtOnce.get(payment.paymentHash);
  if (other) {
    await other.paying.catch(requireAnswer);
    const first = await findReplayed(context, payment);
    // States may have changed meanwhile, which the posting of a hold checks.
    return first && toReplay(context, first);
  }
  const { ledgerAccount } = payment;
  if ([...payingAtOnce.values()].filter((one) => one.ledgerAccount === ledgerAccount).length >= MAX_PER_WALLET) return undefined;
  const paying = pay(context, draft, connection).finally(() => payingAtOnce.delete(payment.paymentHash));
  payingAtOnce.set(payment.paymentHash, { ledgerAccount, paying });
  try {
    return await paying;
  } catch (error) {
    // Another request for the same invoice may have been first. After an error of the database, only the database knows whether this one was booked.
    const first = await findReplayed(context, payment);
    if (!first) throw error;
    if (first.id !== payment.id) return toReplay(context, first);
    markBooked();
    await context.database.ensureDurable();
    return { payment: first, isReplay: false, ended: { payment: first } };
  }
}

/** Another request for the same invoice has failed. If the node did not answer it, this one need not wait for the node as well. */
function requireAnswer(error: unknown): void {
  if (error instanceof NodeUnavailable) throw error;
}

async function pay(context: PaymentContext, draft: InternalDraft, connection: NodeConnection): Promise<StartedPayment> {
  const { payment, limits } = draft;
  await checkLimits(context, limits, requiredMsat(payment), ZERO_MSAT);
  const fee = await serviceFeePosting(context, payment);
  const reservation = await reserve(context, payment);
  try {
    requireRunning(context);
    if ((await close(context, draft, connection)) !== 'closed') throw invoicePaid();
    return await book(context, draft, fee, reservation);
  } finally {
    reservation.release();
  }
}

/** Lets the node cancel the invoice. @throws NodeUnavailable when it does not confirm, or not soon. It may do so later. */
async function close(context: PaymentContext, { issued }: InternalDraft, connection: NodeConnection): Promise<OutsideState> {
  const late = new NodeUnavailable('the node did not cancel the invoice in time');
  const closing = repeatable(() => closeToOutside(connection, issued.paymentHash));
  try {
    return await withTimeout(CLOSE_MS, closing, () => late);
  } catch (error) {
    if (error === late)
      void closing.then((outside) => (outside === 'closed' ? recordClosed(context, issued) : undefined)).catch(() => undefined);
    throw error;
  }
}

/** A process that stops could end between the two steps. @throws NodeUnavailable */
function requireRunning({ endings }: PaymentContext): void {
  if (endings.isClosed) throw new NodeUnavailable('the service stops');
}

/** Reserves what the payment costs, until it is released. @throws InsufficientBalance */
async function reserve({ ledger }: PaymentContext, payment: Payment): Promise<Reservation> {
  const { id, ledgerAccount, serviceFeeMsat: feeMsat } = payment;
  const amountMsat = requiredMsat(payment);
  const requireCovered = (spendableMsat: number) => {
    if (spendableMsat < amountMsat)
      throw new InsufficientBalance({ id, spendableMsat: msat(Math.max(0, spendableMsat)), amountMsat, reserveMsat: ZERO_MSAT, feeMsat });
  };
  requireCovered((await ledger.balance(ledgerAccount)).spendableMsat);
  const own = ledger.reservations.add(ledgerAccount, amountMsat);
  try {
    for (;;) {
      const numEnded = own.numEnded();
      const { spendableMsat } = await ledger.balance(ledgerAccount);
      // The balance is from before or after the booking of a payment that had reserved a part of it.
      if (own.numEnded() !== numEnded) continue;
      if (spendableMsat - own.earlierMsat() >= amountMsat) return own;
      requireCovered(spendableMsat);
      // An earlier payment may be booked already, or fail.
      await own.waitForEarlier();
    }
  } catch (error) {
    own.release();
    throw error;
  }
}

async function book(context: PaymentContext, draft: InternalDraft, fee: FeePosting, reservation: Reservation): Promise<StartedPayment> {
  const { issued } = draft;
  invariant(issued.preimage, 'an issued invoice has a preimage');
  const settledAt = unixSeconds(context.clock);
  if ((issued.expiresAt ?? 0) <= settledAt) throw new Refusal('invoice_expired');
  const payment: Payment = { ...draft.payment, state: 'succeeded', feeMsat: ZERO_MSAT, settledAt, preimage: issued.preimage };
  let receipt: Receipt;
  try {
    receipt = await context.ledger.post({ ...postingOf({ ...draft, payment }, fee, settledAt), reservation });
  } catch (error) {
    // A failure of the database, or a full queue, is not the fault of the payer.
    const isOwn = error instanceof Refusal && error.type !== 'ledger_busy';
    await recordClosed(context, issued, isOwn ? payment.walletId : undefined);
    throw error instanceof InsufficientBalance ? shortfallOf(error, payment) : error;
  }
  return { payment, isReplay: false, balance: receipt.balances.get(payment.ledgerAccount), ended: { payment, receipt } };
}

function postingOf(draft: InternalDraft, fee: FeePosting, settledAt: number): Posting {
  const { payment, issued, guards = [], rows = [], extraRows = () => [], events = [], lineageId } = draft;
  const { id, walletId, transferId, amountMsat, userLabel } = payment;
  const to = { to: issued.ledgerAccount, toType: issued.wtxType, toLntx: issued.id };
  return {
    guards: [...sendingGuards(walletId, []), walletGuard(issued.walletId, 'payee'), ...guards],
    rows: [
      { statement: sql.insertPaid, parameters: [...newParameters(payment), settledAt], onMiss: invoicePaid },
      settledAtOnceRow(issued.id, amountMsat, settledAt, invoicePaid),
      ...searchRows({ id: walletTransactionId(transferId, 'from'), owner: walletId, text: userLabel }),
      ...linkPaymentRows(issued, amountMsat, settledAt),
      ...fee.rows,
      ...rows,
      ...extraRows(id),
      ...traceRows(id),
    ],
    transfers: [{ ...amountTransfer(payment), ...to, keyLineageId: lineageId }, ...fee.charged, ...fee.shared],
    events,
  };
}

/**
 * Records an invoice that was closed to outside payers for nothing, and the wallet whose payment was refused. Changes nothing if the invoice is not
 * open. Never throws.
 */
async function recordClosed({ database, clock, log }: PaymentContext, issued: Invoice, walletId?: string): Promise<void> {
  try {
    // It books nothing for the request.
    await outsideRequest(() => recordClosedOutside(database, issued.id, unixSeconds(clock), walletId));
  } catch (error) {
    log.warn(
      { invoice: issued.id, reason: errorMessage(error) },
      'an invoice is closed to payers outside of the service, which was not recorded',
    );
  }
}

/** The ledger names the transfer that the balance did not cover: that of the amount, or that of the fee. Returns the error for both. */
function shortfallOf({ shortfall }: InsufficientBalance, payment: Payment): InsufficientBalance {
  const beforeMsat = shortfall.id === payment.transferId ? 0 : payment.amountMsat;
  return new InsufficientBalance({
    ...shortfall,
    spendableMsat: msat(shortfall.spendableMsat + beforeMsat),
    amountMsat: requiredMsat(payment),
    feeMsat: payment.serviceFeeMsat,
  });
}
