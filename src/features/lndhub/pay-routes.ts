import type { FastifyReply, FastifyRequest } from 'fastify';
import { allows } from '../../core/accounts/account-states.ts';
import { termsOfKey } from '../../core/accounts/accounts.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import { floorSat, type Msat } from '../../core/kernel/money.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { Bolt11 } from '../../core/lightning/bolt11/bolt11.ts';
import { NodeUnavailable } from '../../core/lightning/node.ts';
import type { RequestTerms, StartedPayment } from '../../core/payments/hold.ts';
import type { Payment } from '../../core/payments/payment.ts';
import type { Wallet } from '../../core/wallets/wallets.ts';
import type { App } from '../../http/app-type.ts';
import { customRecordsHex, publicKey } from '../../http/fields.ts';
import { LNDHUB_PATH } from '../keys/lndhub-link.ts';
import { authorizeApp, keyRoute, type LndhubContext } from './context.ts';
import { KEYSEND_IN_PROGRESS, LndhubRefusal, PaymentPending } from './errors.ts';
import { type Fields, fieldsOf, readAmountMsat, readText } from './fields.ts';
import { ceilSat, paidPayment } from './payment-object.ts';

const MAX_INVOICE = 8000;
/** Zeus gives up after 61 seconds. */
const MAX_WAIT_SECONDS = 55;

/** What all payments have in common: the wallet, the guards and the limits of the key. */
type PaymentTerms = RequestTerms & { readonly wallet: Wallet };

/** Payments. 200 means that the money has arrived; there is no response for a payment whose outcome is unknown, except an error to try again. */
export function payRoutes(app: App, deps: LndhubContext): void {
  const { payments } = deps;
  const config = keyRoute(deps.lndhubTokens);

  app.post(`${LNDHUB_PATH}/payinvoice`, { config }, async (request, reply) => {
    const terms = await paymentTerms(deps, request);
    const fields = fieldsOf(request.body);
    const invoice = payments.readInvoice(requiredText(fields, 'invoice', MAX_INVOICE));
    const amountMsat = agreedAmount(invoice, readAmountMsat(fields, 'amount'));
    const order = { ...terms, invoice, amountMsat, wtxType: 'ln_withdrawal' as const };
    const payment = await outcomeOf(deps, request, reply, new PaymentPending(), () => payments.payInvoice(order));
    return paidPayment(payment, invoice);
  });

  app.post(`${LNDHUB_PATH}/keysend`, { config }, async (request, reply) => {
    const terms = await paymentTerms(deps, request);
    const fields = fieldsOf(request.body);
    const amountMsat = readAmountMsat(fields, 'amount');
    if (amountMsat === undefined) throw new Refusal('validation_failed', '`amount` must be a whole number of satoshis, 1 or more.');
    const order = {
      ...terms,
      amountMsat,
      destination: readDestination(fields),
      customRecords: customRecordsHex(readRecords(fields)),
    };
    const payment = await outcomeOf(deps, request, reply, new PaymentPending(KEYSEND_IN_PROGRESS), () => payments.keysend(order));
    return paidPayment(payment, undefined);
  });
}

async function paymentTerms(deps: LndhubContext, request: FastifyRequest): Promise<PaymentTerms> {
  const { wallet, guards, credential } = await authorizeApp(deps, request, 'wallet_withdraw');
  return { wallet, guards, ...termsOfKey(credential.key), unit: 'sat' };
}

/**
 * Starts a payment and waits for its end. The same invoice, text and amount, of a wallet is one payment, so a repeated request returns the first
 * one.
 * @throws Refusal if nothing was or will be paid; `pending` if that is not certain
 */
async function outcomeOf(
  deps: LndhubContext,
  request: FastifyRequest,
  reply: FastifyReply,
  pending: PaymentPending,
  start: () => Promise<StartedPayment>,
): Promise<Payment> {
  const { payments, paymentWaitSeconds } = deps;
  /** An error of the database, or a mistake of this program: the payment may have been held or sent, by this request or an earlier one. */
  function outcomeUnknown(error: unknown): never {
    request.log.error(
      { requestId: request.id, route: request.routeOptions.url, error: errorMessage(error) },
      'the outcome of a payment is unknown',
    );
    throw pending;
  }
  const started = await start().catch(async (error: unknown) => {
    if (error instanceof Refusal && error.type === 'wallet_inactive') throw await inactive(deps, request);
    if (error instanceof Refusal || error instanceof NodeUnavailable) throw error;
    return outcomeUnknown(error);
  });
  const waited = async () => payments.wait(started.payment.id, waitSeconds(paymentWaitSeconds, reply.elapsedTime)).catch(outcomeUnknown);
  const { payment } = started.ended ?? (await waited());
  if (payment.state === 'succeeded') return payment;
  throw payment.state === 'failed' ? paymentFailed(payment) : pending;
}

/** Returns how long a response still waits. */
export function waitSeconds(paymentWaitSeconds: number, elapsedMs: number): number {
  return Math.max(0, Math.min(paymentWaitSeconds, MAX_WAIT_SECONDS) - elapsedMs / 1000);
}

/** Apps treat only `bad auth` as a matter of the account. */
async function inactive({ access, directory }: LndhubContext, request: FastifyRequest): Promise<Refusal> {
  const { accountId } = await access.anyKey(request);
  const { status } = await directory.find(accountId);
  if (!allows(status, 'send')) return new Refusal('unauthorized', `The account is \`${status}\`: it sends no money.`);
  return new Refusal('wallet_inactive', 'The wallet is inactive: it receives, but sends no money.');
}

function paymentFailed({ failureReason }: Payment): Refusal {
  const isUnroutable = failureReason === 'NO_ROUTE';
  const reason = isUnroutable ? 'No route was found within the fee limit' : `Failure reason: ${failureReason}`;
  return new LndhubRefusal(isUnroutable ? 5 : 10, 'payment_failed', `The payment failed, and nothing was paid. ${reason}.`);
}

/**
 * Returns the amount to pay. Apps repeat the amount of an invoice in whole satoshis, or send 0.
 * @throws Refusal if both differ: a user could believe that he pays less
 */
function agreedAmount(invoice: Bolt11, givenMsat: Msat | undefined): Msat | undefined {
  const { amountMsat } = invoice;
  if (amountMsat === undefined || givenMsat === undefined) return givenMsat;
  const givenSat = floorSat(givenMsat);
  if (givenSat === floorSat(amountMsat) || givenSat === ceilSat(amountMsat)) return undefined;
  throw new Refusal('validation_failed', `\`amount\` must be 0, absent or ${ceilSat(amountMsat)}, the amount of the invoice.`);
}

function requiredText(fields: Fields, name: string, maxLength: number): string {
  const text = readText(fields, name, maxLength);
  if (text === undefined) throw new Refusal('validation_failed', `\`${name}\` is missing.`);
  return text;
}

function readDestination(fields: Fields): string {
  const text = requiredText(fields, 'destination', 66);
  if (!/^0[23][0-9a-f]{64}$/i.test(text)) throw new Refusal('validation_failed', '`destination` must be a public key, 66 hex characters.');
  return publicKey('destination', text);
}

function readRecords({ customRecords }: Fields): object | undefined {
  if (customRecords === undefined || customRecords === null) return undefined;
  if (typeof customRecords === 'object' && Object.values(customRecords).every((text) => typeof text === 'string')) return customRecords;
  throw new Refusal('validation_failed', '`customRecords` must be an object of texts.');
}
