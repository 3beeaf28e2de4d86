import { BudgetChanged, checkLimits } from '../budgets/budgets.ts';
import { countedOwners, type KeyLimits } from '../budgets/limits.ts';
import { closingRow } from '../invoices/close.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { traceRows } from '../journal/event-traces.ts';
import { searchRows } from '../journal/search-words.ts';
import { walletTransactionId } from '../journal/wallet-transaction-id.ts';
import { pendingTransactionRow } from '../journal/wallet-transactions.ts';
import { markBooked } from '../kernel/booking-mark.ts';
import { type AmountUnit, MAX_MSAT, type Msat, msat, ZERO_MSAT } from '../kernel/money.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { Balance, Guard, Posting, RowWrite } from '../ledger/ledger.ts';
import { LimitMissed } from '../limits/limits.ts';
import { limitOwnersGuard, walletGuard } from '../wallets/wallets.ts';
import { attempt, readIssued } from './attempt.ts';
import { limitOwnersOf, newParameters, type Payment, readPayment } from './payment.ts';
import * as sql from './payments.sql.ts';
import type { PaymentContext } from './payments.ts';
import type { AwaitedPayment } from './wait.ts';

/** What a request adds to the posting that moves its money. */
export interface RequestTerms {
  /** Conditions, such as the validity of the requesting key. */
  readonly guards?: readonly Guard[] | undefined;
  /** Returns rows to write in the same posting, from the id of the payment or transfer. */
  readonly extraRows?: ((id: string) => readonly RowWrite[]) | undefined;
  /** The limits of the requesting key. */
  readonly limits?: KeyLimits | undefined;
  /** The lineage of the requesting key, which is recorded with the payment; undefined: no key. */
  readonly lineageId?: string | undefined;
  /** The unit of the amounts in errors. */
  readonly unit?: AmountUnit | undefined;
  /** The request does not wait for the end of the payment, which needs a hold then. */
  readonly mustNotWait?: boolean | undefined;
}

/** A payment to start. */
export interface PaymentDraft extends RequestTerms {
  readonly payment: Payment;
  /** The invoice of this service that the payment settles, if the caller has read it. */
  readonly issued?: Invoice | undefined;
  /** The limit for routing fees. The hold reserves less if the balance above the amount is smaller. */
  readonly reserveMsat: Msat;
  /** Rows of other modules in the same posting, such as the claim of a withdraw link. */
  readonly rows?: readonly RowWrite[];
  readonly events?: readonly RowWrite[];
}

/** A started payment. */
export interface StartedPayment {
  readonly payment: Payment;
  /** An earlier request started it. */
  readonly isReplay: boolean;
  /** The wallet's balance after the hold or the payment, if this request has booked it. */
  readonly balance?: Balance | undefined;
  /** Its end, if it has ended in the posting that started it. */
  readonly ended?: AwaitedPayment | undefined;
}

/**
 * Holds the money and starts the payment, which does not depend on the caller from then on. The caller has found no live payment of the
 * payment hash, and `pending` payments of the wallet. Both may have changed since; the rows of the hold check them again.
 * Returns the earlier payment instead if this one replays it (see {@link requireReplay}).
 * @throws Refusal, NodeUnavailable when no payment was started.
 */
export async function startPayment(context: PaymentContext, draft: PaymentDraft, pending: number): Promise<StartedPayment> {
  await context.quarantine.requireNone();
  await requireNode(context, draft);
  // Rejects most requests beyond the wallet's limit without a posting.
  if (pending >= context.maxInFlight) throw new Refusal('too_many_payments');
  let owners = await context.limits.ownersOf(draft.payment.walletId);
  for (;;) {
    let { payment } = draft;
    let balance: Balance | undefined;
    try {
      const { charge, reserveMsat, rows } = await checkLimits(context, draft.limits, requiredMsat(payment), draft.reserveMsat);
      payment = { ...payment, charge, limitOwners: countedOwners(owners, draft.limits).join(' ') || undefined };
      const receipt = await context.ledger.post(
        holdPosting(context, { ...draft, payment, owners, reserveMsat, rows: [...rows, ...(draft.rows ?? [])] }),
      );
      balance = receipt.balances.get(payment.ledgerAccount);
    } catch (error) {
      // Another request for the same invoice may have been first; its hold or its charge may even be the reason of this error. After an
      // error of the database, only the database knows whether the payment was started.
      const first = await findReplayed(context, payment);
      // Another payment has changed the same budget; a smaller reserve may fit now.
      if (!first && error instanceof BudgetChanged) continue;
      if (!first && error instanceof LimitMissed) {
        const { amountMsat, linkId } = payment;
        const reason = await context.limits.explain(limitOwnersOf(payment), { amounts: [amountMsat], kind: 'payment', unit: draft.unit });
        // The claimer of a withdraw link must not learn about the limits of its owner.
        if (reason) throw linkId === undefined ? reason : new Refusal('spending_limit_exceeded');
        continue;
      }
      if (!first && isInactive(error) && (await context.limits.haveChanged(payment.walletId, owners))) {
        owners = await context.limits.ownersOf(payment.walletId);
        continue;
      }
      if (!first) throw error instanceof Refusal && error.type === 'withdrawals_stopped' ? await context.withdrawals.refuse() : error;
      if (first.id !== payment.id) return toReplay(context, first);
      markBooked();
      await context.database.ensureDurable();
    }
    void attempt(context, payment, { issued: draft.issued });
    return { payment, isReplay: false, balance };
  }
}

/** Returns whether a posting was rejected because the wallet may not send, or has other limited owners than were read. */
export function isInactive(error: unknown): boolean {
  return error instanceof Refusal && error.type === 'wallet_inactive';
}

/** Returns the guards of a posting that spends from a wallet whose limited owners are these. */
export function sendingGuards(walletId: string, owners: readonly string[]): Guard[] {
  if (owners.length === 0) return [walletGuard(walletId, 'send')];
  return [walletGuard(walletId, 'sendWithinLimits'), limitOwnersGuard(walletId, owners)];
}

/** Returns what a payment costs at least: its amount and the fee of the service. @throws Refusal `limit_exceeded` if that is no amount */
export function requiredMsat({ amountMsat, serviceFeeMsat = ZERO_MSAT }: Payment): Msat {
  if (amountMsat > MAX_MSAT - serviceFeeMsat) throw new Refusal('limit_exceeded');
  return msat(amountMsat + serviceFeeMsat);
}

/** An internal payment needs the node of the invoice, any other the node of the wallet. @throws NodeUnavailable */
async function requireNode(context: PaymentContext, { payment, issued }: PaymentDraft): Promise<void> {
  const { connections } = context;
  if (payment.invoiceId === undefined) return connections.of(payment.nodeId).requireCanSend();
  const { nodeId } = issued ?? (await readIssued(context, payment.invoiceId));
  return connections.of(nodeId).requireAvailable();
}

/** Returns the posting that holds amount, fee of the service and fee reserve, and inserts the payment as pending. */
function holdPosting(
  { maxInFlight, clock, limits, withdrawals }: PaymentContext,
  {
    payment,
    owners,
    issued,
    reserveMsat,
    rows = [],
    extraRows = () => [],
    events = [],
    guards = [],
    lineageId,
  }: PaymentDraft & { readonly owners: readonly string[] },
): Posting {
  const { id, transferId, walletId, ledgerAccount, serviceFeeMsat, invoiceId, linkId, createdAt, userLabel } = payment;
  return {
    leavesReserved: true,
    guards: [
      ...sendingGuards(walletId, owners),
      // An internal payment moves money between wallets. The claimer of a withdraw link takes money out, whichever invoice it has.
      ...(invoiceId === undefined || linkId !== undefined ? [withdrawals.guard] : []),
      ...(issued ? [walletGuard(issued.walletId, 'payee')] : []),
      ...guards,
    ],
    holds: [{ id, account: ledgerAccount, amountMsat: requiredMsat(payment), reserveMsat, feeMsat: serviceFeeMsat }],
    rows: [
      { statement: sql.insertPending, parameters: newParameters(payment), onMiss: invoicePaid },
      pendingTransactionRow(payment, clock.nowMs(), lineageId),
      ...searchRows({ id: walletTransactionId(transferId, 'from'), owner: walletId, text: userLabel }),
      { statement: sql.requireWithinLimit, parameters: [id, walletId, maxInFlight], onMiss: () => new Refusal('too_many_payments') },
      ...(invoiceId === undefined ? [] : [closingRow(invoiceId, createdAt, invoicePaid)]),
      ...limits.startRows(limitOwnersOf(payment), [payment.amountMsat], 'payment'),
      ...rows,
      ...extraRows(id),
      ...traceRows(id),
    ],
    events,
  };
}

export function invoicePaid(): Refusal {
  return new Refusal('invoice_paid');
}

/**
 * Returns the live payment of the same payment hash if `wanted` replays it.
 * @throws Refusal `invoice_paid`, `invoice_mismatch` if it does not replay it.
 */
export async function findReplayed({ database }: PaymentContext, wanted: Payment): Promise<Payment | undefined> {
  const live = await readPayment(database, sql.findLive, wanted.paymentHash);
  return live && requireReplay(live, wanted);
}

/** Returns what an earlier request started. */
export async function toReplay({ database }: PaymentContext, payment: Payment): Promise<StartedPayment> {
  markBooked();
  await database.ensureDurable();
  return { payment, isReplay: true };
}

/** The fields of a payment request that are compared with an earlier payment. */
export interface WantedPayment {
  readonly walletId: string;
  /** The canonical text: lower case, without `lightning:`. */
  readonly paymentRequest: string;
  /** Undefined when neither the invoice nor the request states it. */
  readonly amountMsat: Msat | undefined;
  /** The withdraw link that the request claims. */
  readonly linkId?: string | undefined;
}

/**
 * Returns the live payment (pending or settled) of a payment hash if the request replays it: the same wallet, or for a claim the same
 * withdraw link, with the same payment request text and amount. Any other request is rejected, because a hash is paid once. Only the keys of
 * the payment's wallet get details, because anyone who has seen a payment hash can put it into a forged invoice.
 * @throws Refusal `invoice_paid`, `invoice_mismatch`.
 */
export function requireReplay(live: Payment, wanted: WantedPayment): Payment {
  const isSameText = live.paymentRequest === wanted.paymentRequest;
  const isClaim = wanted.linkId !== undefined;
  const isOwn = live.walletId === wanted.walletId && (!isClaim || live.linkId === wanted.linkId);
  if (isOwn && isSameText && live.amountMsat === wanted.amountMsat) return live;
  if (!isOwn || isClaim) throw new Refusal(isSameText ? 'invoice_paid' : 'invoice_mismatch');
  throw new Refusal('invoice_mismatch', mismatchMessage(live, isSameText));
}

/** This request pays nothing. While the other payment is pending, its outcome is open. */
function mismatchMessage({ id, state, amountMsat }: Payment, isSameText: boolean): string {
  const difference = isSameText ? `another amount (${amountMsat} msat)` : 'another payment request text';
  const progress = state === 'pending' ? 'is pending and may still be paid' : 'has succeeded';
  return (
    `This wallet has a payment of the same payment hash with ${difference}: ${id}, which ${progress}. ` +
    `This request paid nothing. Read GET /v1/lntx/${id} for the outcome of that payment.`
  );
}
