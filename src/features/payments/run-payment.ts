import type { FastifyReply, FastifyRequest } from 'fastify';
import { termsOfKey } from '../../core/accounts/accounts.ts';
import type { Invoices } from '../../core/invoices/invoices.ts';
import { walletTransactionId } from '../../core/journal/wallet-transaction-id.ts';
import { invariant } from '../../core/kernel/assert.ts';
import type { Msat } from '../../core/kernel/money.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { FailureReason } from '../../core/lightning/node.ts';
import type { StartedPayment } from '../../core/payments/hold.ts';
import type { InvoicePayment } from '../../core/payments/pay-invoice.ts';
import type { Payment } from '../../core/payments/payment.ts';
import type { Payments } from '../../core/payments/payments.ts';
import type { Rates } from '../../core/rates/rates.ts';
import type { Wallet, Wallets } from '../../core/wallets/wallets.ts';
import type { RouteContext } from '../../http/app-type.ts';
import type { WalletAuthorization } from '../../http/auth/access.ts';
import type { RemoteLinks } from '../lnurl/remote/remote-links.ts';
import type { History } from '../transactions/history.ts';
import type { Objects } from '../transactions/objects.ts';
import { transactionFromPayment, transactionFromReceipt } from '../transactions/wallet-transaction.ts';

/** What the routes of payments, transfers and links of other services use. */
export interface PaymentRouteContext extends RouteContext {
  readonly payments: Payments;
  readonly rates: Rates;
  readonly remoteLinks: RemoteLinks;
  readonly invoices: Invoices;
  readonly wallets: Wallets;
  readonly history: History;
  readonly objects: Objects;
  /** How long a response waits for a payment's end, from the arrival of its request. */
  readonly paymentWaitSeconds: number;
}

type PaymentRequest = FastifyRequest<{ Body: { fee_limit_msat?: number } }>;

/**
 * Starts a payment, once per Idempotency-Key, and sends its outcome. `begin` gets what all payments have in common: the wallet and the limits,
 * and the rows to write in the posting that starts the payment.
 */
export function runPayment(
  deps: PaymentRouteContext,
  request: PaymentRequest,
  reply: FastifyReply,
  { wallet, guards, credential }: WalletAuthorization,
  begin: (common: Omit<InvoicePayment, 'invoice' | 'wtxType'>) => Promise<StartedPayment>,
): Promise<FastifyReply> {
  const feeLimitMsat = request.body.fee_limit_msat as Msat | undefined;
  const common = { wallet, guards, ...termsOfKey(credential.key), feeLimitMsat, mustNotWait: wantsNoWait(request) };
  const scope = { credential, walletId: wallet.id };
  return deps.runIdempotent(request, reply, scope, {
    async make(outcome) {
      const started = await begin({ ...common, extraRows: outcome.rows });
      if (started.isReplay) await outcome.saveExisting(started.payment.id);
      return sendPayment(deps, request, reply, { wallet, started });
    },
    async replay(id) {
      const payment = await deps.payments.find(id);
      invariant(payment, `payment ${id} is gone`);
      return sendPayment(deps, request, reply, { wallet, started: { payment, isReplay: true } });
    },
  });
}

/**
 * Waits a limited time for the payment's end. Responds 4xx only if it failed finally. While the outcome is unknown the response is 202, and
 * the money is held. With `Prefer: respond-async` (RFC 7240), and beyond the limits of its key, a request does not wait.
 */
async function sendPayment(
  deps: PaymentRouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { wallet, started }: { wallet: Wallet; started: StartedPayment },
): Promise<FastifyReply> {
  if (started.isReplay) reply.header('idempotency-replayed', 'true');
  try {
    const seconds = wantsNoWait(request) ? 0 : Math.max(0, deps.paymentWaitSeconds - reply.elapsedTime / 1000);
    const { payment, receipt } = started.ended ?? (await deps.payments.wait(started.payment.id, seconds));
    if (payment.state === 'failed') throw await paymentFailed(deps, payment);
    const wtx = receipt
      ? deps.objects.walletTransaction(transactionFromReceipt(payment, wallet, receipt))
      : await deps.history.ofPayment(payment);
    return reply.code(payment.state === 'succeeded' ? 201 : 202).send(wtx);
  } catch (error) {
    if (error instanceof Refusal || !started.balance) throw error;
    return reply
      .code(202)
      .send(deps.objects.walletTransaction(transactionFromPayment(started.payment, { wallet, balance: started.balance })));
  }
}

/** Reasons that a customer would look for in the wallet or the invoice. */
const EXPLAINED: Partial<Record<FailureReason, string>> = {
  INSUFFICIENT_BALANCE:
    'The service cannot send this amount now, because the channels of its node have too little outgoing capacity. The balance of the wallet is not the reason.',
  NODE_BEHIND: 'The Lightning node of this service is behind the blockchain. The invoice is not the reason. Try again later.',
};

/** Old clients read the reason out of the message, so it stays in front. */
async function paymentFailed({ payments }: PaymentRouteContext, payment: Payment): Promise<Refusal> {
  const feeLimitMsat = payment.failureReason === 'NO_ROUTE' ? await payments.feeLimitMsat(payment) : undefined;
  const limit = feeLimitMsat === undefined ? '' : `. No route was found within the fee limit of ${feeLimitMsat} msat.`;
  const explained = payment.failureReason === undefined ? undefined : EXPLAINED[payment.failureReason];
  const message = `Failure reason: FAILURE_REASON_${payment.failureReason}${limit}${explained === undefined ? '' : `. ${explained}`}`;
  return new Refusal('payment_failed', message, walletTransactionId(payment.transferId, 'from'));
}

function wantsNoWait({ mustNotWait, headers }: FastifyRequest): boolean {
  if (mustNotWait || /\brespond-async\b/i.test(String(headers.prefer ?? ''))) return true;
  return !FALSE_WORDS.has(
    String(headers['x-lnpay-async'] ?? '')
      .trim()
      .toLowerCase(),
  );
}

/** Values of `X-LNPAY-ASYNC` that do not request an asynchronous response; old clients send `1`, others `true` or `yes`. */
const FALSE_WORDS = new Set(['', '0', 'false', 'no', 'off', 'null', 'undefined']);
