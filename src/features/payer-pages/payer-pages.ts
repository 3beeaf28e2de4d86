import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Invoice } from '../../core/invoices/invoice.ts';
import type { Invoices } from '../../core/invoices/invoices.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import { msatToPrice } from '../../core/kernel/fiat.ts';
import { msat } from '../../core/kernel/money.ts';
import { Refusal, requireFound } from '../../core/kernel/refusal.ts';
import { encodeLnurl } from '../../core/lightning/bech32.ts';
import { NodeUnavailable } from '../../core/lightning/node.ts';
import type { Rates } from '../../core/rates/rates.ts';
import type { App } from '../../http/app-type.ts';
import type { RateLimits } from '../../http/limits/rate-limits.ts';
import { lightningUri, qrDataUrl } from '../../http/pages/qr.ts';
import { findByInvoiceToken, invoiceToken } from '../invoices/status-routes.ts';
import type { PayLinks } from '../lnurl/pay/pay-links.ts';
import { type PayPage, payPagePath } from '../lnurl/pay/pay-requests.ts';
import type { Objects } from '../transactions/objects.ts';
import { type FilledForm, readAmount, type ValidRate } from './amount-form.ts';
import { payerAssets } from './assets.ts';
import { type CheckoutView, renderCheckout } from './checkout-page.ts';
import { languageOf, type PayerTexts } from './language.ts';
import { type Look, placeOf, sendPayerPage, sendProblemPage } from './layout.ts';
import { renderPayPage } from './pay-page.ts';
import { checkFields, payerDataText, problemText } from './payer-form.ts';

interface PayerPageOptions {
  readonly payLinks: PayLinks;
  readonly invoices: Invoices;
  readonly objects: Objects;
  readonly rates: Rates;
  readonly limits: RateLimits;
  readonly clock: Clock;
  readonly publicUrl: string;
  readonly look: Look;
}

const EMPTY: FilledForm = { values: {}, errors: {} };
const MAX_PREFILLED = 500;

/**
 * The pages for payers: `/pay/<link or name>` has the form of a pay link, `/i/<token>` an invoice with its status and its receipt. Under
 * `/embed` the same pages can be shown in frames of the sites that the operator lists.
 */
export function payerPageRoutes(app: App, options: PayerPageOptions): void {
  const { look } = options;
  payerAssets(app, look);
  const route = {
    config: { undocumented: true, isPublic: true },
    errorHandler(error: Error, request: FastifyRequest, reply: FastifyReply) {
      const problem = problemOf(languageOf(request), error);
      if (!problem) throw error;
      return sendProblemPage(request, reply.code(problem.status), look, problem.text);
    },
  };
  for (const prefix of ['', '/embed']) {
    app.get(`${prefix}/pay/:link`, route, async (request, reply) => {
      const { amount = '', currency = '', comment = '' } = textsIn(request.query);
      const values = { amount, currency: currency || (amount === '' ? '' : 'sats'), comment };
      return sendForm(options, request, reply, await readLink(options, request), { ...EMPTY, values });
    });
    app.post(`${prefix}/pay/:link`, { ...route, config: { ...route.config, isForm: true } }, (request, reply) =>
      createInvoice(options, request, reply),
    );
    app.get(`${prefix}/i/:token`, route, (request, reply) => showInvoice(options, request, reply));
  }
}

/** Returns the fields of a query or a form that are texts, each bounded. */
function textsIn(fields: unknown): Record<string, string> {
  const entries = Object.entries((fields ?? {}) as object).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(entries.map(([name, text]) => [name, text.slice(0, MAX_PREFILLED)]));
}

function readLink({ payLinks }: PayerPageOptions, { params, headers }: FastifyRequest): Promise<PayPage> {
  return payLinks.readPage((params as { link: string }).link, headers.host);
}

/** The currencies that can be converted now: that of the link alone, if its limits are in one. */
async function validRates({ rates }: PayerPageOptions, { link }: PayPage) {
  const all = (await rates.list()).filter((one): one is ValidRate => one.status === 'valid' && one.rate !== undefined);
  return link.currency === null ? all : all.filter(({ currency }) => currency === link.currency);
}

async function sendForm(
  options: PayerPageOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  page: PayPage,
  form: FilledForm & { readonly problem?: string },
): Promise<FastifyReply> {
  const { limits, look, clock } = options;
  limits.admitQrCode(request);
  const place = placeOf(request);
  const texts = languageOf(request);
  const qr = await qrDataUrl(request, lightningUri(encodeLnurl(page.callback)));
  const rates = await validRates(options, page);
  const main = renderPayPage({
    look,
    texts,
    root: place.root,
    page,
    rates,
    form,
    problem: form.problem,
    qr,
    nowSeconds: unixSeconds(clock),
  });
  return sendPayerPage(reply, look, { title: texts.pay, texts, main, ...place });
}

/** Creates the invoice of a filled form and leads the browser to its page; shows the form again if a field is wrong. */
async function createInvoice(options: PayerPageOptions, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { payLinks, limits } = options;
  const page = await readLink(options, request);
  const values = textsIn(request.body);
  const texts = languageOf(request);
  const amount = readAmount(texts, page, await validRates(options, page), values);
  const errors = { ...(typeof amount === 'string' && { amount }), ...checkFields(texts, page, values) };
  if (typeof amount === 'string' || Object.keys(errors).length > 0)
    return sendForm(options, request, reply.code(400), page, { values, errors });
  try {
    limits.admitInvoiceRequest(request, page.link.public_key);
    const comment = values.comment || undefined;
    const message = { amount: amount.amountMsat, fiat: amount.fiat, comment, payerdata: payerDataText(page, values) };
    const invoice = await payLinks.createPageInvoice(page, message, request.ip);
    const prefix = placeOf(request).isFramed ? 'embed/' : '';
    return reply.redirect(`${placeOf(request).root}${prefix}i/${invoiceToken(invoice, 'page')}`, 303);
  } catch (error) {
    const problem = problemOf(texts, error as Error);
    if (!problem) throw error;
    return sendForm(options, request, reply.code(problem.status), page, { values, errors: {}, problem: problem.text });
  }
}

async function showInvoice(options: PayerPageOptions, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { invoices, objects, payLinks, limits, look, publicUrl } = options;
  const { token } = request.params as { token: string };
  const invoice = requireFound(await findByInvoiceToken(invoices, token, 'page'));
  const transaction = objects.invoice(invoice);
  const isOpen = transaction.status === 'open';
  if (isOpen) limits.admitQrCode(request);
  const link = await payLinks.findLinkOfInvoice(invoice.id);
  const place = placeOf(request);
  const texts = languageOf(request);
  const view: CheckoutView = {
    look,
    texts,
    root: place.root,
    invoice,
    transaction,
    statusPath: `v1/invoice-status/${invoiceToken(invoice, 'status')}`,
    linkPath: link && `${place.isFramed ? 'embed/' : ''}${payPagePath(publicUrl, link)}`,
    subject: link?.name ? `${link.name}@${link.domain}` : invoice.memo,
    comment: link && (JSON.parse(invoice.passThru ?? '{}') as { comment?: string }).comment,
    worth: invoice.fiat === undefined ? await worthOf(options, invoice) : undefined,
    isClosedOutside: isOpen && (await invoices.isClosedOutside(invoice.id)),
    qr: isOpen ? await qrDataUrl(request, lightningUri(invoice.paymentRequest)) : undefined,
  };
  return sendPayerPage(reply, look, { title: texts.payment, texts, main: renderCheckout(view), ...place });
}

/** Returns what an invoice is worth in the first currency that has a rate; undefined if that is less than its smallest unit. */
async function worthOf({ rates }: PayerPageOptions, { amountMsat, receivedMsat = amountMsat }: Invoice) {
  const rate = (await rates.list()).find(({ status }) => status === 'valid')?.rate;
  if (!rate || receivedMsat === undefined) return undefined;
  const amount = msatToPrice(msat(receivedMsat), rate.currency, rate.rate);
  return /[1-9]/.test(amount) ? { amount, ...rate } : undefined;
}

/** Returns what a payer reads about an error; undefined for one that is not expected. */
function problemOf(texts: PayerTexts, error: Error): { readonly status: number; readonly text: string } | undefined {
  if (error instanceof NodeUnavailable) return { status: 503, text: problemText(texts, 'node_unavailable') };
  return error instanceof Refusal ? { status: error.status, text: problemText(texts, error.type) } : undefined;
}
