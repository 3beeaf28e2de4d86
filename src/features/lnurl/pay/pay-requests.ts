import { allows } from '../../../core/accounts/account-states.ts';
import type { SqlParameter } from '../../../core/db/database.ts';
import type { Invoice } from '../../../core/invoices/invoice.ts';
import { invariant } from '../../../core/kernel/assert.ts';
import type { FiatAmount } from '../../../core/kernel/fiat.ts';
import { isId, secretHash } from '../../../core/kernel/ids.ts';
import { msat } from '../../../core/kernel/money.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import { shownText } from '../../../core/kernel/shown-text.ts';
import type { RowWrite } from '../../../core/ledger/ledger.ts';
import { descriptionHash, newToken } from '../lnurl.ts';
import type { ZapRequest } from '../nostr/zap-request.ts';
import type { Zaps } from '../nostr/zaps.ts';
import { domainsOfHost, findInDomains, parseRequestedName, splitTag } from './address.ts';
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
  /** The price that the payer entered, if it was in a currency. A link with limits in a currency has its own. */
  readonly fiat?: FiatAmount | undefined;
}

/** A link that can be paid, and the tag of the address that named it. */
interface FoundLink {
  readonly link: sql.WholePayLinkRow;
  readonly tag: string | undefined;
}

/** What the page of a link shows. */
export interface PayPage extends FoundLink {
  readonly limits: readonly [PayLimits, ...PayLimits[]];
  /** The address of both steps of LUD-06. */
  readonly callback: string;
}

/** Returns the URL of both steps of LUD-06. `publicUrl` is the URL of the service, never the host of a request. */
export function payLinkUrl(publicUrl: string, { public_key, id }: sql.PayLinkRow): string {
  return `${publicUrl}/v1/wallet/${public_key}/lnurlp/${id}`;
}

const PREFIX = 'lnurlp_';

/** Returns the URL of the page of a link for people: with the name of its address, if that is of the service's own domain and no id. */
export function payPageUrl(publicUrl: string, link: sql.PayLinkRow, tag?: string): string {
  return `${publicUrl}/${payPagePath(publicUrl, link)}${tag === undefined ? '' : `+${tag}`}`;
}

export function payPagePath(publicUrl: string, { id, name, domain }: sql.PayLinkRow): string {
  return `pay/${name !== null && domain === new URL(publicUrl).host && !name.startsWith(PREFIX) ? name : id}`;
}

/** The requests of payers. They need no key. */
export function createPayRequests(options: PayLinkOptions) {
  const { database, invoices, publicUrl, zaps, rates } = options;
  const offerFor = async (link: sql.WholePayLinkRow, tag: string | undefined) => {
    const [limits] = await payLimits(rates, link);
    return { ...parametersFor({ link, limits, publicUrl, tag }), ...zaps.offer() };
  };
  const order = payerOrders(options);

  async function findById(id: string, key?: string): Promise<FoundLink> {
    const { main: linkId = '', tag } = splitTag(id) ?? {};
    const link = isId(linkId) ? await database.first(sql.findLink, linkId) : undefined;
    return { link: requirePayable(key === undefined || link?.public_key === key ? link : undefined), tag };
  }
  const findPayable = ({ key, id }: PayLinkPath) => findById(id, key);

  /** `host` selects one of the configured domains. */
  async function findByAddress(text: string, host: string | undefined): Promise<FoundLink> {
    const requested = parseRequestedName(text);
    // Also a name that cannot exist is looked up, so that all of them take the same time.
    const name = requested?.name ?? text.slice(0, 100);
    const link = await findInDomains(domainsOfHost(host, options), (domain) => database.first(sql.findLinkByAddress, domain, name));
    return { link: requirePayable(link), tag: requested?.tag };
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
      const { link, tag } = await findByAddress(text, host);
      return offerFor(link, tag);
    },

    /** Step 2: creates an invoice for the payer at an address. Stores nothing unless it succeeds. @throws Refusal, NodeUnavailable */
    async createPayInvoice(path: PayLinkPath, message: PayMessage, payerIp: string) {
      const found = await findPayable(path);
      const { invoice, token } = await order(found, message, payerIp);
      return {
        status: 'OK' as const,
        pr: invoice.paymentRequest,
        routes: [],
        // LUD-11: the link can be paid again.
        disposable: false as const,
        // LUD-21.
        verify: `${publicUrl}/v1/lnurlp/verify/${token}`,
        ...successActionFor(found.link, invoice),
      };
    },

    /** Returns the URL of the page of a link for people. @throws Refusal */
    async pageUrl(path: PayLinkPath): Promise<string> {
      const { link, tag } = await findPayable(path);
      return payPageUrl(publicUrl, link, tag);
    },

    /** Returns the URL of the page of an address for people. @throws Refusal */
    async addressPageUrl(text: string, host: string | undefined): Promise<string> {
      const { link, tag } = await findByAddress(text, host);
      return payPageUrl(publicUrl, link, tag);
    },

    /** Returns what the page of a link shows, by the link's id or the name of its address, with its tag. @throws Refusal */
    async readPage(text: string, host: string | undefined): Promise<PayPage> {
      const found = text.startsWith(PREFIX) ? await findById(text) : await findByAddress(text, host);
      return { ...found, limits: await payLimits(rates, found.link), callback: callbackFor(found.link, publicUrl, found.tag) };
    },

    /** Creates the invoice of a payer who filled in the page of a link. @throws Refusal, NodeUnavailable */
    async createPageInvoice(page: PayPage, message: PayMessage, payerIp: string): Promise<Invoice> {
      return (await order(page, message, payerIp)).invoice;
    },

    /** Returns the link whose payer requested an invoice; undefined for any other invoice. */
    findLinkOfInvoice: (invoiceId: string) => database.first(sql.findLinkByInvoice, invoiceId),

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

/** Returns the function that creates the invoices of payers. It stores nothing unless it succeeds. */
function payerOrders(options: PayLinkOptions) {
  const { wallets, invoices, zaps, rates } = options;
  const payerLimits = createPayerLimits(options);

  /** @returns the invoice and the token of LUD-21 @throws Refusal, NodeUnavailable */
  return async ({ link, tag }: FoundLink, message: PayMessage, payerIp: string): Promise<{ invoice: Invoice; token: string }> => {
    const amountMsat = msat(message.amount);
    const fiat = requireWithinLimits(await payLimits(rates, link), amountMsat) ?? message.fiat;
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
    return { invoice, token };
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

export function payerDataRequest({ payer_data }: sql.PayLinkRow): PayerDataRequest | undefined {
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
