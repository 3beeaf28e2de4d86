import { type Static, Type } from 'typebox';
import type { Invoices } from '../../core/invoices/invoices.ts';
import type { LoggedEvent } from '../../core/journal/event-log.ts';
import { BOOKED_EVENTS, EVENT_NAMES, EVENT_TYPES, type EventType } from '../../core/journal/event-types.ts';
import { walletTransactionId } from '../../core/journal/wallet-transaction-id.ts';
import type { Payment } from '../../core/payments/payment.ts';
import type { Payments } from '../../core/payments/payments.ts';
import type { FundedWallet } from '../../core/wallets/wallets.ts';
import { anyObject, namedObject, oneOf } from '../../http/responses/response-types.ts';
import { KeyObject } from '../keys/key-object.ts';
import type { History } from '../transactions/history.ts';
import { type LightningTransaction, LightningTransactionObject } from '../transactions/lightning-transaction-object.ts';
import type { Objects } from '../transactions/objects.ts';
import { transactionFromPayment } from '../transactions/wallet-transaction.ts';
import { asReported, type RenderedTransaction, WalletTransactionObject } from '../transactions/wallet-transaction-object.ts';
import { renderWallet, WalletObject } from '../wallets/wallet-object.ts';

/** The fields of `data` by the type of the event. The client makes one type of each, which `type` selects. */
export const EVENT_DATA = {
  wallet_created: ['wal'],
  wallet_updated: ['wal'],
  wallet_receive: ['wtx'],
  wallet_receive_pending: ['wtx', 'wal'],
  wallet_receive_failure: ['wtx', 'wal'],
  wallet_send: ['wtx'],
  wallet_transfer_in: ['wtx'],
  wallet_transfer_out: ['wtx'],
  wallet_send_failure: ['wtx', 'wal', 'failureReason', 'passThru'],
  payment_pending: ['wtx', 'wal'],
  payment_corrected: ['wtx', 'wal', 'correction'],
  invoice_created: ['wal', 'lnTx'],
  invoice_expired: ['wal', 'lnTx'],
  invoice_held: ['wal', 'lnTx'],
  invoice_cancelled: ['wal', 'lnTx'],
  link_claimed: ['wtx', 'wal', 'withdraw_link'],
  payout_finished: ['wal', 'payout'],
  key_created: ['key'],
  key_revoked: ['key'],
  codes_paused: ['codes'],
  alert_raised: ['alert'],
  alert_resolved: ['alert'],
  webhook_test: ['webhook_id'],
} as const satisfies Record<EventType, readonly string[]>;

export const EventObject = namedObject('Event', {
  id: Type.String({ description: 'The id of the event, `evt_…`. Ids sort in the order of the events' }),
  created_at: Type.Integer({ description: 'Unix seconds' }),
  type: oneOf(EVENT_NAMES, { description: 'What happened; the filter `type` takes the same values' }),
  event: Type.Object(
    {
      type: oneOf([...new Set(Object.values(EVENT_TYPES).map(({ category }) => category))], { description: 'What the event concerns' }),
      name: oneOf(EVENT_NAMES, { description: 'The same as `type` of the event' }),
      display_name: Type.String({ description: 'The name as text for people' }),
    },
    { description: 'What happened, in the form of LNPay' },
  ),
  data: Type.Object(
    {
      wtx: Type.Optional(WalletTransactionObject),
      wal: Type.Optional(WalletObject),
      lnTx: Type.Optional(LightningTransactionObject),
      failureReason: Type.Optional(Type.String({ description: 'Why a payment failed for good' })),
      passThru: Type.Optional(anyObject('The `passThru` of a payment that failed')),
      correction: Type.Optional(
        oneOf(['charged', 'borne'], {
          description:
            'How a payment was corrected that succeeded after it was reported as failed: charged to the wallet, or borne by the operator',
        }),
      ),
      withdraw_link: Type.Optional(
        Type.Object(
          {
            id: Type.String({ description: 'The id of the link, `lnurlw_…`' }),
            user_label: Type.Optional(Type.String({ description: 'The label of the link for its owner' })),
          },
          { description: 'The withdraw link that was claimed' },
        ),
      ),
      payout: Type.Optional(
        Type.Object(
          {
            id: Type.String({ description: 'The id of the payout, `payout_…`' }),
            user_label: Type.String({ description: 'The label of the payout' }),
            num_paid: Type.Integer({ description: 'The number of lines that were paid' }),
            num_failed: Type.Integer({ description: 'The number of lines that were not paid' }),
            paid_msat: Type.Integer({ description: 'The sum of the lines that were paid, in millisatoshis' }),
          },
          { description: 'The payout whose last line has ended' },
        ),
      ),
      key: Type.Optional(
        Type.Object(Type.Pick(KeyObject, ['id', 'kind', 'wallet_id', 'user_label', 'hint']).properties, {
          description: 'The key that was created or revoked, without its secret',
        }),
      ),
      codes: Type.Optional(
        Type.Object(
          { paused_until: Type.Integer({ description: 'When they are accepted again, in Unix seconds' }) },
          {
            description:
              'The codes of the authenticator app: after ten wrong ones they are not accepted for a day. Recovery codes are accepted',
          },
        ),
      ),
      alert: Type.Optional(
        Type.Object(
          {
            id: Type.String({ description: 'The id of the alert, `alert_…`' }),
            kind: Type.String({ description: 'The kind of the alert: docs/monitoring.md lists them' }),
            subject: Type.String({ description: 'The id of the object that the alert is about' }),
            message: Type.String({ description: 'What happened' }),
            raised_at: Type.Integer({ description: 'Unix seconds' }),
            resolved_at: Type.Optional(Type.Integer({ description: 'Unix seconds; only when the alert is resolved' })),
          },
          { description: 'The alert that was raised or resolved' },
        ),
      ),
      webhook_id: Type.Optional(Type.String({ description: 'The webhook that was tested, `whk_…`' })),
    },
    {
      additionalProperties: true,
      description: 'The objects that the event concerns. `x-fields-by-type` lists them by the type of the event',
      'x-fields-by-type': EVENT_DATA,
    },
  ),
});

export interface EventSources {
  readonly history: History;
  readonly invoices: Invoices;
  readonly payments: Payments;
  readonly objects: Objects;
}

/** How an event shows its payment. A correction is final, so it shows the payment as it is. */
const SHOWN_PAYMENT: Partial<Record<EventType, 'pending' | 'failed' | 'present'>> = {
  payment_pending: 'pending',
  link_claimed: 'pending',
  wallet_send_failure: 'failed',
  payment_corrected: 'present',
};

/** How an event shows the payment that a node has reported. The subject is its wallet transaction. */
const SHOWN_REPORT: Partial<Record<EventType, 'pending' | 'failed'>> = {
  wallet_receive_pending: 'pending',
  wallet_receive_failure: 'failed',
};

const BOOKINGS: ReadonlySet<EventType> = new Set(Object.values(BOOKED_EVENTS));

/**
 * Renders events with the objects that they concern, as these were when it happened, in the same order. Only wallets are shown with their present
 * balance, label and status. Reads each kind of object with one statement.
 */
export async function renderEvents(sources: EventSources, events: readonly LoggedEvent[]): Promise<Static<typeof EventObject>[]> {
  const wallets = await walletsOf(sources, events);
  const [transactionOf, invoiceOf] = await Promise.all([transactionsOf(sources, events, wallets), invoicesOf(sources, events)]);
  return events.map((event) => {
    const { id, type, createdAtMs, walletId, data } = event;
    const { category, displayName } = EVENT_TYPES[type];
    const wtx = transactionOf(event);
    const wallet = BOOKINGS.has(type) || walletId === undefined ? undefined : wallets(walletId);
    const lnTx = invoiceOf(event);
    return {
      id,
      created_at: Math.floor(createdAtMs / 1000),
      type,
      event: { type: category, name: type, display_name: displayName },
      data: {
        ...(wtx && { wtx }),
        ...(wallet && { wal: renderWallet(wallet.wallet, wallet.balance) }),
        ...(lnTx && { lnTx }),
        ...(type === 'wallet_send_failure' && wtx && { failureReason: wtx.failure_reason ?? '', passThru: wtx.passThru }),
        ...data,
      },
    };
  });
}

type FundedWallets = (id: string) => FundedWallet;

/** The wallets of events without a booking; the transaction of a booking shows its wallet. */
function walletsOf({ history }: EventSources, events: readonly LoggedEvent[]): Promise<FundedWallets> {
  return history.fundedWallets(events.flatMap(({ type, walletId }) => (BOOKINGS.has(type) ? [] : (walletId ?? []))));
}

/** Returns the transactions that events show: those of bookings as they are, and payments as they were. */
async function transactionsOf({ history, payments, objects }: EventSources, events: readonly LoggedEvent[], wallets: FundedWallets) {
  const paymentIds = new Set(events.flatMap(({ type, subject }) => (SHOWN_PAYMENT[type] ? subject : [])));
  const paymentOf = new Map((await payments.findMany([...paymentIds])).map((payment) => [payment.id, payment]));
  const idOf = ({ type, subject }: LoggedEvent) => {
    if (BOOKINGS.has(type) || SHOWN_REPORT[type]) return subject;
    const payment = SHOWN_PAYMENT[type] === 'present' ? paymentOf.get(subject) : undefined;
    return payment && walletTransactionId(payment.transferId, 'from');
  };
  const present = await history.findMany([...new Set(events.flatMap((event) => idOf(event) ?? []))]);
  const presentOf = new Map(present.map((transaction) => [transaction.id, transaction]));
  return (event: LoggedEvent): RenderedTransaction | undefined => {
    const [shown, payment] = [SHOWN_PAYMENT[event.type], paymentOf.get(event.subject)];
    if (payment && event.walletId !== undefined && (shown === 'pending' || shown === 'failed'))
      return objects.walletTransaction(transactionFromPayment(paymentAt(event, shown, payment), wallets(event.walletId)));
    const [found, report] = [presentOf.get(idOf(event) ?? ''), SHOWN_REPORT[event.type]];
    return found && report ? asReported(found, report) : found;
  };
}

/** Returns the payment as it was. The row of a payment that was corrected no longer has the reason of its failure. */
function paymentAt({ data }: LoggedEvent, state: 'pending' | 'failed', payment: Payment): Payment {
  const failureReason = state === 'failed' ? (data?.failureReason as Payment['failureReason']) : undefined;
  return { ...payment, state, failureReason, feeMsat: undefined, settledAt: undefined };
}

/** The events of invoices that may follow the arrival of a payment. */
const HOLD_EVENTS: ReadonlySet<EventType> = new Set(['invoice_held', 'invoice_cancelled']);

async function invoicesOf({ invoices, objects }: EventSources, events: readonly LoggedEvent[]) {
  const ids = new Set(events.flatMap(({ type, subject }) => (type.startsWith('invoice_') ? subject : [])));
  const invoiceOf = new Map((await invoices.findMany([...ids])).map((invoice) => [invoice.id, invoice]));
  return ({ type, subject }: LoggedEvent): LightningTransaction | undefined => {
    const invoice = type.startsWith('invoice_') ? invoiceOf.get(subject) : undefined;
    if (!invoice) return undefined;
    const { createdAt, expiresAt = createdAt } = invoice;
    const state = type === 'invoice_cancelled' ? 'canceled' : type === 'invoice_held' ? 'held' : 'open';
    const hold = HOLD_EVENTS.has(type) ? {} : { heldAt: undefined, heldUntil: undefined };
    const then = { ...invoice, ...hold, state, receivedMsat: undefined, settledAt: undefined } as const;
    return objects.invoice(then, type === 'invoice_expired' ? expiresAt : createdAt);
  };
}
