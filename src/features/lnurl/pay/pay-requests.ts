import type { Invoices } from '../../../core/invoices/invoices.ts';
import { invariant } from '../../../core/kernel/assert.ts';
import { isId } from '../../../core/kernel/ids.ts';
import { type Msat, msat } from '../../../core/kernel/money.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import type { Guard, RowWrite } from '../../../core/ledger/ledger.ts';
import { descriptionHash } from '../description-hash.ts';
import { newToken, tokenHash } from '../token.ts';
import { domainOfHost, parseRequestedName, splitTag } from './address.ts';
import { payerDataRequestOf, payLinkUrl } from './pay-link.ts';
import * as sql from './pay-links.sql.ts';
import type { PayLinkDependencies } from './pay-links.ts';
import { isPlain, type PayerData, type PayerDataRequest, readPayerData } from './payer-data.ts';
import { type SentSuccessAction, type SuccessAction, sentSuccessAction } from './success-action.ts';

/** The response to step 1 (LUD-06). Amounts in millisatoshis. */
export interface PayParameters {
  readonly tag: 'payRequest';
  readonly callback: string;
  readonly minSendable: Msat;
  readonly maxSendable: Msat;
  readonly metadata: string;
  readonly commentAllowed?: number;
  readonly payerData?: PayerDataRequest;
}

/** The address of a pay link in a request. */
export interface PayLinkPath {
  /** The `waklp_` key of the wallet. */
  readonly pathKey: string;
  /** The id of the link, followed by `+` and the tag if the payer's address has one. */
  readonly taggedId: string;
}

/** The parameters of step 2. */
export interface InvoiceOrder {
  readonly amountMsat: Msat;
  readonly comment: string | undefined;
  /** JSON text (LUD-18). */
  readonly payerData: string | undefined;
}

/** The response to step 2. */
export interface PayInvoice {
  readonly status: 'OK';
  readonly pr: string;
  readonly routes: readonly never[];
  /** LUD-11: the link can be paid again. */
  readonly disposable: false;
  /** LUD-21. */
  readonly verify: string;
  readonly successAction?: SentSuccessAction;
}

/** Whether an invoice is paid (LUD-21). */
export interface PayVerification {
  readonly status: 'OK';
  readonly settled: boolean;
  readonly preimage: string | null;
  readonly pr: string;
}

/** The requests of payers. They need no key. */
export interface PayRequests {
  /** Step 1 of a link. @throws Refusal */
  payParameters(path: PayLinkPath): Promise<PayParameters>;
  /** Step 1 of an address. `host` selects one of the configured domains. @throws Refusal */
  addressParameters(name: string, host: string | undefined): Promise<PayParameters>;
  /** Step 2: creates an invoice. Stores nothing unless it succeeds. @throws Refusal, NodeUnavailable */
  payInvoice(path: PayLinkPath, order: InvoiceOrder): Promise<PayInvoice>;
  /** Returns whether the invoice with this token is paid; undefined for an unknown token. */
  verifyPayment(token: string): Promise<PayVerification | undefined>;
}

/** An invoice of a link that is not paid counts against its wallet's limit for this time. */
export const PAY_INVOICE_EXPIRY_SECONDS = 600;

export function createPayRequests(deps: PayLinkDependencies): PayRequests {
  const { database, invoices, addressDomains, publicUrl } = deps;
  return {
    async payParameters(path) {
      const { row, tag } = await requirePayable(deps, path);
      return parametersOf(row, publicUrl, tag);
    },
    async addressParameters(text, host) {
      const requested = parseRequestedName(text);
      const domain = domainOfHost(host, addressDomains);
      // Also a name that cannot exist is looked up, so that all of them take the same time.
      const row = await database.first(sql.findPayableByAddress, domain, requested?.name ?? text.slice(0, 100));
      return parametersOf(payable(row), publicUrl, requested?.tag);
    },
    async payInvoice(path, order) {
      const { row, tag } = await requirePayable(deps, path);
      return payInvoice(deps, row, order, tag);
    },
    async verifyPayment(token) {
      const found = await database.first(sql.findInvoiceByToken, tokenHash(token));
      const invoice = found && (await invoices.find(found.invoice_id));
      if (!invoice) return undefined;
      const settled = invoice.state === 'settled';
      return { status: 'OK', settled, preimage: settled ? (invoice.preimage ?? null) : null, pr: invoice.paymentRequest };
    },
  };
}

async function requirePayable(
  { database }: PayLinkDependencies,
  { pathKey, taggedId }: PayLinkPath,
): Promise<{ row: sql.PayableLinkRow; tag: string | undefined }> {
  const { main: linkId = '', tag } = splitTag(taggedId) ?? {};
  const row = isId(linkId) ? await database.first(sql.findPayable, linkId) : undefined;
  return { row: payable(row?.public_key === pathKey ? row : undefined), tag };
}

/** Throws the same error for an unknown link, an inactive one and the link of an inactive wallet. @throws Refusal */
function payable(row: sql.PayableLinkRow | undefined): sql.PayableLinkRow {
  if (row?.state === 'active' && row.wallet_status === 'active') return row;
  throw unpayable();
}

function unpayable(): Refusal {
  return new Refusal('link_unusable', 'This pay link or address does not exist, or it accepts no payments now.');
}

function parametersOf(row: sql.PayableLinkRow, publicUrl: string, tag: string | undefined): PayParameters {
  const url = payLinkUrl(publicUrl, row);
  const payerData = payerDataRequestOf(row);
  return {
    tag: 'payRequest',
    // In the path, because a published client replaces the query of the callback.
    callback: tag === undefined ? url : `${url}+${tag}`,
    minSendable: msat(row.min_msat),
    maxSendable: msat(row.max_msat),
    metadata: row.metadata,
    ...(row.comment_length > 0 && { commentAllowed: row.comment_length }),
    ...(payerData && { payerData }),
  };
}

async function payInvoice(
  deps: PayLinkDependencies,
  row: sql.PayableLinkRow,
  order: InvoiceOrder,
  tag: string | undefined,
): Promise<PayInvoice> {
  const { amountMsat } = order;
  if (amountMsat < row.min_msat || amountMsat > row.max_msat)
    throw new Refusal('validation_failed', `\`amount\` must be from ${row.min_msat} to ${row.max_msat} millisatoshis.`);
  const comment = readComment(order.comment, row.comment_length);
  const payerData = readPayerData(payerDataRequestOf(row), order.payerData);
  const wallet = await deps.wallets.find(row.wallet_id);
  invariant(wallet, `wallet ${row.wallet_id} is gone`);
  const token = newToken();
  const invoice = await deps.invoices.create({
    wallet,
    amountMsat,
    memo: row.short_desc,
    descriptionHash: descriptionHash(row.metadata, payerData?.text),
    hashedText: row.metadata + (payerData?.text ?? ''),
    expirySeconds: PAY_INVOICE_EXPIRY_SECONDS,
    passThru: paymentPassThru(row, { comment, payerData, tag }),
    wtxType: 'ln_lnurl_pay_inbound',
    guards: [payableGuard(row.id)],
    extraRows: (invoiceId) => [linkInvoiceRow(invoiceId, row, payerData, token)],
  });
  return {
    status: 'OK',
    pr: invoice.paymentRequest,
    routes: [],
    disposable: false,
    verify: `${deps.publicUrl}/v1/lnurlp/verify/${token}`,
    ...successActionFor(row, invoice),
  };
}

/** LUD-12. @throws Refusal */
function readComment(comment: string | undefined, maxLength: number): string | undefined {
  if (comment === undefined) return undefined;
  if (maxLength === 0) throw new Refusal('validation_failed', '`comment` must be left out: this link accepts none.');
  if (Array.from(comment).length > maxLength)
    throw new Refusal('validation_failed', `\`comment\` must have at most ${maxLength} characters.`);
  if (!isPlain(comment)) throw new Refusal('validation_failed', '`comment` must have no line breaks or other control characters.');
  return comment;
}

interface PaymentDetails {
  readonly comment: string | undefined;
  readonly payerData: PayerData | undefined;
  readonly tag: string | undefined;
}

/** At most 4 kB, because each part is limited. */
function paymentPassThru({ id, pass_thru }: sql.PayLinkRow, { comment, payerData, tag }: PaymentDetails): string {
  const own = pass_thru === null ? {} : (JSON.parse(pass_thru) as object);
  return JSON.stringify({
    ...own,
    lnurlp_id: id,
    ...(comment !== undefined && { comment }),
    ...(payerData && { payerData: payerData.values }),
    ...(tag !== undefined && { address_tag: tag }),
  });
}

function payableGuard(linkId: string): Guard {
  return { statement: sql.payableLinks, id: linkId, onMiss: unpayable };
}

function linkInvoiceRow(
  invoiceId: string,
  { id, metadata_hash }: sql.PayLinkRow,
  payerData: PayerData | undefined,
  token: string,
): RowWrite {
  const parameters = [invoiceId, id, metadata_hash, payerData?.text ?? null, tokenHash(token)];
  return { statement: sql.insertLinkInvoice, parameters, onMiss: new Error('the invoice of a pay link was not stored') };
}

function successActionFor({ success_action }: sql.PayLinkRow, { preimage }: Awaited<ReturnType<Invoices['create']>>) {
  if (success_action === null) return {};
  invariant(preimage, 'the service chose the preimage');
  return { successAction: sentSuccessAction(JSON.parse(success_action) as SuccessAction, preimage) };
}
