import type { Invoices } from '../../../core/invoices/invoices.ts';
import { type Clock, unixSeconds } from '../../../core/kernel/clock.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import { RunningTasks } from '../../../core/kernel/running-tasks.ts';
import { shownText } from '../../../core/kernel/shown-text.ts';
import type { Bolt11 } from '../../../core/lightning/bolt11/bolt11.ts';
import type { Outbound } from '../../../core/outbound/outbound.ts';
import type { StartedPayment } from '../../../core/payments/hold.ts';
import type { InvoicePayment } from '../../../core/payments/pay-invoice.ts';
import type { Payments } from '../../../core/payments/payments.ts';
import type { Wallet } from '../../../core/wallets/wallets.ts';
import type { Destination } from './destination.ts';
import { invoiceRequest, type PayerMessage, type PayOffer, readPayOffer, requireAccepted, requireAgreed } from './pay-offer.ts';
import { pullRemote, type RemotePull } from './remote-pull.ts';
import { brokenResponse, fetchJson, requireObject } from './response.ts';
import { readSuccessAction } from './success-action.ts';

export interface RemoteLinkOptions {
  readonly outbound: Outbound;
  readonly payments: Payments;
  readonly invoices: Invoices;
  readonly clock: Clock;
}

export interface RemotePayment extends Omit<InvoicePayment, 'invoice' | 'amountMsat' | 'wtxType' | 'claim'>, PayerMessage {
  readonly destination: Destination;
  /** JSON text, with the {@link payeeFields}. */
  readonly passThru: string;
}

/**
 * The concurrent requests to other services. The HTTP client allows 256 for the whole service; without limits, one account could use all of
 * them with links of slow services. Each instance of the service counts separately.
 */
const MAX_PER_ACCOUNT = 64;
const MAX_PER_WALLET = 32;
/** A public API key may probe, so probes are counted separately: they must not keep the account from paying. */
const MAX_PROBES_PER_ACCOUNT = 8;

export type RemoteLinks = ReturnType<typeof createRemoteLinks>;

/** Links and addresses of other services, which wallets of this service pay or withdraw from. */
export function createRemoteLinks(options: RemoteLinkOptions) {
  const tasks = new RunningTasks();
  const runForWallet = <T>({ id, accountId }: Wallet, task: () => Promise<T>) =>
    tasks.run(id, MAX_PER_WALLET, tooMany, () => tasks.run(accountId, MAX_PER_ACCOUNT, tooMany, task));

  return {
    /** Reads what a payee accepts. @throws Refusal */
    probe: (destination: Destination, accountId: string) =>
      tasks.run(`probes ${accountId}`, MAX_PROBES_PER_ACCOUNT, tooMany, () => probeRemote(options, destination)),
    /** See {@link payRemote}. @throws Refusal, NodeUnavailable when no payment was started. */
    pay: (order: RemotePayment) => runForWallet(order.wallet, () => payRemote(options, order)),
    /** See `remote-pull.ts`. @throws Refusal, NodeUnavailable when no invoice was created. */
    pull: (order: RemotePull) => runForWallet(order.wallet, () => pullRemote(options, order)),
  };
}

function tooMany(): Refusal {
  return new Refusal(
    'rate_limited',
    'Too many requests of this wallet or account to other services are running. This request paid nothing. Try again later.',
  );
}

/** Reads what a payee accepts (LUD-06, step 3). @throws Refusal */
async function probeRemote({ outbound }: RemoteLinkOptions, { url, domain }: Destination): Promise<PayOffer> {
  return readPayOffer(domain, await fetchJson(outbound, url));
}

/**
 * Pays a link or an address of a payee (LUD-06): requests an invoice, checks it, and starts its payment. Until then nothing is held.
 * @throws Refusal, NodeUnavailable when no payment was started.
 */
async function payRemote(options: RemoteLinkOptions, { destination, ...order }: RemotePayment): Promise<StartedPayment> {
  const { outbound, payments, clock } = options;
  const { domain, address } = destination;
  const offer = await probeRemote(options, destination);
  requireAccepted(offer, order);
  const { url, descriptionHash } = invoiceRequest(offer, order);
  const response = requireObject(domain, await fetchJson(outbound, url, domain));
  const invoice = readInvoice(payments, domain, response.pr);
  requireAgreed(domain, invoice, { amountMsat: order.amountMsat, descriptionHash, nowSeconds: unixSeconds(clock) });
  const started = await payments.payInvoice({
    ...order,
    invoice,
    wtxType: 'ln_lnurl_pay_outbound',
    userLabel: shownText(offer.description.text, MAX_LABEL) || (address ?? domain),
    successAction: readSuccessAction(domain, offer.callback, response.successAction),
  });
  if (started.isReplay) throw paidBefore(domain, started);
  return started;
}

const MAX_LABEL = 255;

function readInvoice(payments: Payments, domain: string, pr: unknown): Bolt11 {
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
