import { allows } from '../../../core/accounts/account-states.ts';
import type { SqlParameter } from '../../../core/db/database.ts';
import type { Invoice } from '../../../core/invoices/invoice.ts';
import { invariant } from '../../../core/kernel/assert.ts';
import { isId, secretHash } from '../../../core/kernel/ids.ts';
import { msat } from '../../../core/kernel/money.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import { shownText } from '../../../core/kernel/shown-text.ts';
import type { RowWrite } from '../../../core/ledger/ledger.ts';
import { descriptionHash, newToken } from '../lnurl.ts';
import type { ZapRequest } from '../nostr/zap-request.ts';
import type { Zaps } from '../nostr/zaps.ts';
import { domainOfHost, parseRequestedName, splitTag } from './address.ts';
import { type PayLimits, payLimits, requireWithinLimits } from './link-limits.ts';
import * as sql from './pay-links.sql.ts';
import type { PayLinkOptions } from './pay-links.ts';
import { isPlain, type PayerDataRequest, readPayerData } from './payer-data.ts';
import { createPayerLimits } from './payer-limits.ts';
import { type SuccessAction, sentSuccessAction } from './success-action.ts';

/** The path of a pay link in a request. */
interface PayLinkPath {
  /** The `waklp_` key of the wallet. */
  readonly key: string;
  /** The id of the link, followed by `+` and the tag if the payer's address has one. */
  readonly id: string;
}

/** The query of step 2. */
interface PayMessage {
  readonly amount: number;
  readonly comment?: string | undefined;
  /** JSON text (LUD-18). */
  readonly payerdata?: string | undefined;
  /** A zap request as JSON text (NIP-57). */
  readonly nostr?: string | undefined;
}

/** Returns the URL of both steps of LUD-06. `publicUrl` is the URL of the service, never the host of a request. */
export function payLinkUrl(publicUrl: string, { public_key, id }: sql.PayLinkRow): string {
  return `${publicUrl}/v1/wallet/${public_key}/lnurlp/${id}`;
}

/** The requests of payers. They need no key. */
export function createPayRequests(options: PayLinkOptions) {
  const { database, wallets, invoices, addressDomains, publicUrl, zaps, rates } = options;
  const offerFor = async (link: sql.WholePayLinkRow, tag: string | undefined) => {
    const [limits] = await payLimits(rates, link);
    return { ...parametersFor({ link, limits, publicUrl, tag }), ...zaps.offer() };
  };
  const payerLimits = createPayerLimits(options);

  async function findPayable({ key, id }: PayLinkPath): Promise<{ link: sql.WholePayLinkRow; tag: string | undefined }> {
    const { main: linkId = '', tag } = splitTag(id) ?? {};
    const link = isId(linkId) ? await database.first(sql.findLink, linkId) : undefined;
    return { link: requirePayable(link?.public_key === key ? link : undefined), tag };
  }

  return {
    /** Step 1 of a link. @throws Refusal */
    async payParameters(path: PayLinkPath) {
      const { link, tag } = await findPayable(path);
      return offerFor(link, tag);
    },

    /** Returns the address of both steps of a link. @throws Refusal */
    async callback(path: PayLinkPath): Promise<string> {
      const { link, tag } = await findPayable(path);
      return callbackFor(link, publicUrl, tag);
    },

    /** Step 1 of an address. `host` selects one of the configured domains. @throws Refusal */
    async addressParameters(text: string, host: string | undefined) {
      const requested = parseRequestedName(text);
      const domain = domainOfHost(host, addressDomains);
      // Also a name that cannot exist is looked up, so that all of them take the same time.
      const link = await database.first(sql.findLinkByAddress, domain, requested?.name ?? text.slice(0, 100));
      return offerFor(requirePayable(link), requested?.tag);
    },

    /** Step 2: creates an invoice for the payer at an address. Stores nothing unless it succeeds. @throws Refusal, NodeUnavailable */
    async createPayInvoice(path: PayLinkPath, message: PayMessage, payerIp: string) {
      const { link, tag } = await findPayable(path);
      const amountMsat = msat(message.amount);
      const fiat = requireWithinLimits(await payLimits(rates, link), amountMsat);
      const comment = readComment(message.comment, link.comment_length);
      const payerData = readPayerData(payerDataRequest(link), message.payerdata);
      const zap = message.nostr === undefined ? undefined : await zaps.readRequest(message.nostr, message.amount);
      const wallet = await wallets.find(link.wallet_id);
      invariant(wallet, `wallet ${link.wallet_id} is gone`);
      const token = newToken();
      const order = {
        wallet,
        amountMsat,
        fiat,
        memo: link.short_desc,
        descriptionHash: zap?.hash ?? descriptionHash(link.metadata, payerData?.text),
        hashedText: zap?.text ?? link.metadata + (payerData?.text ?? ''),
        passThru: passThruFor(link, { comment, payerData: payerData?.values, tag, zap }),
        wtxType: 'ln_lnurl_pay_inbound' as const,
        guards: [{ statement: sql.payableLinks, id: link.id, onMiss: unpayable }],
        extraRows: (invoiceId: string) => [
          linkInvoiceRow(link, [payerData?.text ?? null, secretHash(token), payerLimits.payerNetworks(payerIp)], invoiceId),
          ...(zap ? [zaps.rowOf(invoiceId, zap)] : []),
        ],
      };
      const invoice = await payerLimits.createInSlot(wallet, (expirySeconds) => invoices.create({ ...order, expirySeconds }));
      return {
        status: 'OK' as const,
        pr: invoice.paymentRequest,
        routes: [],
        // LUD-11: the link can be paid again.
        disposable: false as const,
        // LUD-21.
        verify: `${publicUrl}/v1/lnurlp/verify/${token}`,
        ...successActionFor(link, invoice),
      };
    },

    /** Returns whether the invoice with this token is paid (LUD-21). @throws Refusal `not_found` */
    async verifyPayment(token: string) {
      const found = await database.first(sql.findInvoiceByToken, secretHash(token));
      const invoice = found && (await invoices.find(found.invoice_id));
      if (!invoice) throw new Refusal('not_found', 'Not found');
      const settled = invoice.state === 'settled';
      return { status: 'OK' as const, settled, preimage: settled ? (invoice.preimage ?? null) : null, pr: invoice.paymentRequest };
    },
  };
}

/** @param parameters the last ones of the statement */
function linkInvoiceRow(link: sql.WholePayLinkRow, parameters: readonly SqlParameter[], invoiceId: string): RowWrite {
  return {
    statement: sql.insertLinkInvoice,
    parameters: [invoiceId, link.id, link.metadata_hash, ...parameters],
    onMiss: () => new Error('the invoice of a pay link was not stored'),
  };
}

/** Throws the same error for an unknown link, an inactive one, and the link of an inactive wallet or a restricted account. @throws Refusal */
function requirePayable(link: sql.WholePayLinkRow | undefined): sql.WholePayLinkRow {
  if (link?.state === 'active' && link.wallet_status === 'active' && allows(link.account_status, 'receive')) return link;
  throw unpayable();
}

function unpayable(): Refusal {
  return new Refusal('link_unusable', 'This pay link or address does not exist, or it accepts no payments now.');
}

export type PayParameters = ReturnType<typeof parametersFor> & ReturnType<Zaps['offer']>;

interface OfferedLink {
  readonly link: sql.WholePayLinkRow;
  readonly limits: PayLimits;
  readonly publicUrl: string;
  readonly tag: string | undefined;
}

function callbackFor(link: sql.WholePayLinkRow, publicUrl: string, tag: string | undefined): string {
  const url = payLinkUrl(publicUrl, link);
  return tag === undefined ? url : `${url}+${tag}`;
}

/** Returns the response to step 1 (LUD-06). Amounts in millisatoshis. */
function parametersFor({ link, limits, publicUrl, tag }: OfferedLink) {
  const payerData = payerDataRequest(link);
  return {
    tag: 'payRequest' as const,
    // In the path, because a published client replaces the query of the callback.
    callback: callbackFor(link, publicUrl, tag),
    minSendable: limits.minMsat,
    maxSendable: limits.maxMsat,
    metadata: link.metadata,
    ...(link.comment_length > 0 && { commentAllowed: link.comment_length }),
    ...(payerData && { payerData }),
  };
}

function payerDataRequest({ payer_data }: sql.PayLinkRow): PayerDataRequest | undefined {
  return payer_data === null ? undefined : (JSON.parse(payer_data) as PayerDataRequest);
}

/** The length of the text of a zap in `passThru`, in characters. */
const MAX_ZAP_TEXT = 255;

interface PayerInput {
  readonly comment: string | undefined;
  readonly payerData: object | undefined;
  readonly tag: string | undefined;
  readonly zap: ZapRequest | undefined;
}

/** The `passThru` of an invoice, as JSON text: at most 4 kB, because each part is limited. */
function passThruFor({ id, pass_thru }: sql.PayLinkRow, { comment, payerData, tag, zap }: PayerInput): string {
  const own = JSON.parse(pass_thru ?? '{}') as object;
  return JSON.stringify({
    ...own,
    lnurlp_id: id,
    ...(comment !== undefined && { comment }),
    ...(payerData && { payerData }),
    ...(tag !== undefined && { address_tag: tag }),
    ...(zap && { zap: { pubkey: zap.event.pubkey, content: shownText(zap.event.content, MAX_ZAP_TEXT, { keepLines: true }) } }),
  });
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

function successActionFor({ success_action }: sql.PayLinkRow, { preimage }: Invoice) {
  if (success_action === null) return {};
  invariant(preimage, 'the service chose the preimage');
  return { successAction: sentSuccessAction(JSON.parse(success_action) as SuccessAction, preimage) };
}
