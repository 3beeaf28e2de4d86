import type { NewInvoice } from '../../../core/invoices/create.ts';
import type { Invoice } from '../../../core/invoices/invoice.ts';
import type { Invoices } from '../../../core/invoices/invoices.ts';
import { type Clock, unixSeconds } from '../../../core/kernel/clock.ts';
import { Refusal, type RefusalType } from '../../../core/kernel/refusal.ts';
import { RunningTasks } from '../../../core/kernel/running-tasks.ts';
import { shownText } from '../../../core/kernel/shown-text.ts';
import type { Bolt11 } from '../../../core/lightning/bolt11/bolt11.ts';
import { NodeUnavailable } from '../../../core/lightning/node.ts';
import type { StartedPayment } from '../../../core/payments/hold.ts';
import type { InvoicePayment } from '../../../core/payments/pay-invoice.ts';
import type { Payments } from '../../../core/payments/payments.ts';
import type { Wallet } from '../../../core/wallets/wallets.ts';
import type { RequestedAmount } from '../../../http/amounts.ts';
import { type Destination, withoutComment } from './destination.ts';
import {
  invoiceRequest,
  type PayerMessage,
  type PayOffer,
  readPayOffer,
  requireAccepted,
  requireAgreed,
  requireOffered,
  whyCommentLeftOut,
} from './offers.ts';
import type { LinkClient, OwnLinks } from './own-links.ts';
import { brokenResponse, fetchJson, requireObject } from './response.ts';
import { readSuccessAction } from './success-action.ts';
import { type InvoiceForOffer, probeWithdrawal, type SentInvoice, withdraw } from './withdrawal.ts';

/** A payment to a link or an address of another service. */
export interface RemotePayment extends Omit<InvoicePayment, 'invoice' | 'amountMsat' | 'unit' | 'wtxType' | 'claim'>, PayerMessage {
  readonly destination: Destination;
  /** JSON text, with the fields of `payeeFields`. */
  readonly passThru: string;
}

/** The payer or the receiver, as limits count them: a wallet of this service, or a node that stands for one. */
type LinkUser = Pick<Wallet, 'id' | 'accountId'>;

/** An invoice to request from a link or an address of another service. */
export interface RemoteInvoiceOrder extends PayerMessage {
  readonly wallet: LinkUser;
  readonly destination: Destination;
}

/** An invoice that a payee has created, and what the payee states with it. */
export interface RemoteInvoice {
  readonly invoice: Bolt11;
  /** What is paid, or the address. */
  readonly userLabel: string;
  /** JSON text: what the payee shows after the payment. */
  readonly successAction: string | undefined;
  /** Why the payee has not got the comment, as a sentence; undefined if it has, or none was given. */
  readonly commentNotSent: string | undefined;
}

/** A withdrawal from a link of another service, into a wallet. */
export interface RemotePull extends Omit<NewInvoice, 'memo' | 'expirySeconds' | 'passThru' | 'wtxType' | 'amountMsat'>, RequestedAmount {
  readonly destination: Destination;
  /** Absent: the description of the link. */
  readonly memo: string | undefined;
}

/** The invoice that was sent to the other service. */
export interface RequestedWithdrawal {
  readonly invoice: Invoice;
  /** Why the service does not pay; then the invoice is cancelled. Otherwise the service may pay until the invoice expires. */
  readonly refusal: Refusal | undefined;
}

/**
 * The concurrent requests to other services. The HTTP client allows 256 for the whole service; without limits, one account could use all of
 * them with links of slow services. Each instance of the service counts separately.
 */
const MAX_PER_ACCOUNT = 64;
const MAX_PER_WALLET = 32;
/** A public API key may probe, so probes are counted separately: they must not keep the account from paying. */
const MAX_PROBES_PER_ACCOUNT = 8;

const MAX_LABEL = 255;
/** A service pays within seconds. An invoice that it did not confirm stays payable for this time. */
const PULL_EXPIRY_SECONDS = 3600;

export type RemoteLinks = ReturnType<typeof createRemoteLinks>;

/** Links and addresses of other services, which wallets of this service pay or withdraw from. */
export function createRemoteLinks(modules: { links: OwnLinks; payments: Payments; invoices: Invoices; clock: Clock }) {
  const { links, payments, invoices, clock } = modules;
  const tasks = new RunningTasks();
  const runForWallet = <T>({ id, accountId }: LinkUser, task: () => Promise<T>) =>
    tasks.run(id, MAX_PER_WALLET, tooMany, () => tasks.run(accountId, MAX_PER_ACCOUNT, tooMany, task));

  const clientOfWallet = ({ id: walletId, accountId }: LinkUser) => links.clientOf({ accountId, walletId });

  async function probe(client: LinkClient, { url, domain, isBip353 }: Destination): Promise<PayOffer> {
    try {
      return readPayOffer(domain, await fetchJson(client, url));
    } catch (error) {
      throw isBip353 && error instanceof Refusal && NOT_FOUND.has(error.type) ? noLnurlService(error) : error;
    }
  }

  async function requestInvoice({ destination, ...order }: RemoteInvoiceOrder): Promise<RemoteInvoice> {
    const { domain, address } = destination;
    const client = clientOfWallet(order.wallet);
    const offer = await probe(client, destination);
    requireAccepted(offer, order);
    const commentNotSent = whyCommentLeftOut(offer, order.comment);
    const { url, descriptionHash } = invoiceRequest(offer, commentNotSent === undefined ? order : { ...order, comment: undefined });
    const response = requireObject(domain, await fetchJson(client, url, domain));
    const invoice = readInvoice(payments, domain, response.pr);
    requireAgreed(domain, invoice, { amountMsat: order.amountMsat, descriptionHash, nowSeconds: unixSeconds(clock) });
    return {
      invoice,
      userLabel: shownText(offer.description.text, MAX_LABEL) || (address ?? domain),
      successAction: readSuccessAction(domain, offer.callback, response.successAction),
      commentNotSent,
    };
  }

  async function pay({ destination, ...order }: RemotePayment): Promise<StartedPayment> {
    const { commentNotSent, ...requested } = await requestInvoice({ ...order, destination });
    const passThru = withoutComment(order.passThru, order.comment, commentNotSent);
    const started = await payments.payInvoice({ ...order, ...requested, passThru, wtxType: 'ln_lnurl_pay_outbound' });
    if (started.isReplay) throw paidBefore(destination.domain, started);
    return started;
  }

  async function pull({ destination, memo, ...order }: RemotePull): Promise<RequestedWithdrawal> {
    const { invoice, refusal } = await withdraw(clientOfWallet(order.wallet), destination, (offer) => {
      requireOffered(offer, order);
      return invoices.create({
        ...order,
        memo: memo ?? offer.description,
        expirySeconds: PULL_EXPIRY_SECONDS,
        passThru: JSON.stringify({ lnurl_domain: destination.domain }),
        wtxType: 'ln_deposit',
      });
    });
    return refusal ? cancelRefused(invoice, refusal) : { invoice, refusal };
  }

  /**
   * Cancels the invoice that a service refused to pay. If it cannot be cancelled, because it is being paid or the node did not confirm, the
   * service may still pay.
   */
  async function cancelRefused(invoice: Invoice, refusal: Refusal): Promise<RequestedWithdrawal> {
    try {
      // Without guards: the key may have been revoked meanwhile.
      return { invoice: await invoices.cancel(invoice, []), refusal };
    } catch (error) {
      const isPaid = error instanceof Refusal && error.type === 'invoice_paid';
      if (!isPaid && !(error instanceof NodeUnavailable)) throw error;
      return { invoice: (await invoices.find(invoice.id)) ?? invoice, refusal: undefined };
    }
  }

  return {
    /** Reads what a payee accepts (LUD-06, step 3). @throws Refusal */
    probe: (destination: Destination, accountId: string) =>
      tasks.run(`probes ${accountId}`, MAX_PROBES_PER_ACCOUNT, tooMany, () => probe(links.clientOf({ accountId }), destination)),

    /** Reads what a withdraw link offers (LUD-03, step 3). @throws Refusal */
    probeWithdrawal: (destination: Destination, accountId: string) =>
      tasks.run(`probes ${accountId}`, MAX_PROBES_PER_ACCOUNT, tooMany, () => probeWithdrawal(links.clientOf({ accountId }), destination)),

    /**
     * Pays a link or an address of a payee (LUD-06): requests an invoice, checks it, and starts its payment. Until then nothing is held.
     * @throws Refusal, NodeUnavailable when no payment was started.
     */
    pay: (order: RemotePayment) => runForWallet(order.wallet, () => pay(order)),

    /** Requests an invoice from a payee (LUD-06) and checks it. Nothing is held. @throws Refusal */
    requestInvoice: (order: RemoteInvoiceOrder): Promise<RemoteInvoice> => runForWallet(order.wallet, () => requestInvoice(order)),

    /**
     * Withdraws from a link of another service (LUD-03): creates an invoice of the wallet and sends it to the service, which pays it later.
     * @throws Refusal, NodeUnavailable when no invoice was created.
     */
    pull: (order: RemotePull) => runForWallet(order.wallet, () => pull(order)),

    /**
     * Withdraws from a link into an invoice of another node, which the caller creates for the offer.
     * @returns the invoice, and why the service of the link does not pay it. Without a reason it may. @throws Refusal
     */
    withdrawElsewhere: <T extends SentInvoice>(wallet: LinkUser, destination: Destination, createInvoice: InvoiceForOffer<T>) =>
      runForWallet(wallet, () => withdraw(clientOfWallet(wallet), destination, createInvoice)),
  };
}

const NOT_FOUND: ReadonlySet<RefusalType> = new Set(['lnurl_unavailable', 'lnurl_refused'] satisfies RefusalType[]);

/** An address with ₿ may be one of LNURL, too, because wallets show both in this form. */
function noLnurlService({ type, message }: Refusal): Refusal {
  return new Refusal(
    type,
    `${message} An address with ₿ may exist in the DNS alone (BIP-353), which this service does not support. Ask the payee for an invoice.`,
  );
}

function tooMany(): Refusal {
  return new Refusal(
    'rate_limited',
    'Too many requests of this wallet or account to other services are running. This request paid nothing. Try again later.',
  );
}

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
