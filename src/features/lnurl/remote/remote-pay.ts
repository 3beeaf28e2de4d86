import type { KeyLimits } from '../../../core/budgets/limits.ts';
import { type Clock, unixSeconds } from '../../../core/kernel/clock.ts';
import type { Msat } from '../../../core/kernel/money.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import { shownText } from '../../../core/kernel/shown-text.ts';
import type { Guard, RowWrite } from '../../../core/ledger/ledger.ts';
import type { Bolt11 } from '../../../core/lightning/bolt11/bolt11.ts';
import type { StartedPayment } from '../../../core/payments/hold.ts';
import type { Payments } from '../../../core/payments/payments.ts';
import type { Wallet } from '../../../core/wallets/wallets.ts';
import type { Destination } from './destination.ts';
import type { FetchJson } from './fetch-json.ts';
import { invoiceRequest, type PayerMessage, type PayOffer, readPayOffer, requireAccepted, requireAgreed } from './pay-offer.ts';
import { brokenResponse, requireObject } from './response.ts';
import { readSuccessAction } from './success-action.ts';

export interface RemotePayment extends PayerMessage {
  readonly wallet: Wallet;
  readonly destination: Destination;
  readonly feeLimitMsat: Msat | undefined;
  /** JSON text, with the {@link payeeFields}. */
  readonly passThru: string;
  /** Conditions of the hold, such as the validity of the requesting key. */
  readonly guards: readonly Guard[];
  /** Returns rows to write in the posting that starts the payment. */
  readonly extraRows: (paymentId: string) => readonly RowWrite[];
  /** The limits of the requesting key. */
  readonly limits: KeyLimits | undefined;
}

export interface RemotePayDependencies {
  readonly fetchJson: FetchJson;
  readonly payments: Pick<Payments, 'readInvoice' | 'payInvoice'>;
  readonly clock: Clock;
}

/** Reads what a payee accepts (LUD-06, step 3). @throws Refusal */
export async function readOffer({ fetchJson }: Pick<RemotePayDependencies, 'fetchJson'>, { url, domain }: Destination): Promise<PayOffer> {
  return readPayOffer(domain, await fetchJson(url));
}

/**
 * Pays a link or an address of a payee (LUD-06): requests an invoice, checks it, and starts its payment. Until then nothing is held.
 * @throws Refusal, NodeUnavailable when no payment was started.
 */
export async function payRemote(deps: RemotePayDependencies, order: RemotePayment): Promise<StartedPayment> {
  const { destination, amountMsat, wallet } = order;
  const { domain } = destination;
  const offer = await readOffer(deps, destination);
  requireAccepted(offer, order);
  const { url, descriptionHash } = invoiceRequest(offer, order);
  const response = requireObject(domain, await deps.fetchJson(url, domain));
  const invoice = readInvoice(deps, domain, response.pr);
  requireAgreed(domain, invoice, { amountMsat, descriptionHash, nowSeconds: unixSeconds(deps.clock) });
  const started = await deps.payments.payInvoice({
    wallet,
    invoice,
    wtxType: 'ln_lnurl_pay_outbound',
    feeLimitMsat: order.feeLimitMsat,
    passThru: order.passThru,
    userLabel: shownText(offer.description.text, MAX_LABEL) || (destination.address ?? domain),
    successAction: readSuccessAction(domain, offer.callback, response.successAction),
    guards: order.guards,
    limits: order.limits,
    extraRows: order.extraRows,
  });
  if (started.isReplay) throw paidBefore(domain, started);
  return started;
}

const MAX_LABEL = 255;

function readInvoice({ payments }: RemotePayDependencies, domain: string, pr: unknown): Bolt11 {
  if (typeof pr !== 'string') throw brokenResponse(domain, 'has no invoice in `pr`');
  try {
    return payments.readInvoice(pr);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.type === 'invoice_wrong_network') throw brokenResponse(domain, 'has an invoice of another Bitcoin network');
    throw brokenResponse(domain, 'has no valid BOLT11 invoice in `pr`');
  }
}

/**
 * A payee that returns an invoice twice would receive one payment for two requests, each of which would be reported as paid. A retry has the
 * Idempotency-Key of the first request, which returns its payment.
 */
function paidBefore(domain: string, { payment: { id, state } }: StartedPayment): Refusal {
  const progress = state === 'pending' ? 'is already paying' : 'has already paid';
  return new Refusal(
    'invoice_paid',
    `${domain} returned an invoice that this wallet ${progress}, with ${id}. This request paid nothing. Read GET /v1/lntx/${id} for the ` +
      'outcome of that payment.',
  );
}
