import type { Invoice } from '../../core/invoices/invoice.ts';
import type { FiatAmount } from '../../core/kernel/fiat.ts';
import { type Html, html } from '../../http/pages/html.ts';
import type { LightningTransaction } from '../transactions/lightning-transaction-object.ts';
import { foreign, groupedDecimal, priceText, satDigits, satsText, timeOf } from './format.ts';
import { icon } from './icons.ts';
import type { PayerTexts } from './language.ts';
import { footOf, headOf, type Look } from './layout.ts';

export interface CheckoutView {
  readonly look: Look;
  readonly texts: PayerTexts;
  readonly root: string;
  readonly invoice: Invoice;
  readonly transaction: LightningTransaction;
  /** The path from `root` to the status of the invoice. */
  readonly statusPath: string;
  /** The path from `root` to the page of the link whose invoice it is; undefined for any other invoice. */
  readonly linkPath: string | undefined;
  /** What the payer reads below the name of the operator: the address, or the memo. */
  readonly subject: string;
  /** What the payer wrote. */
  readonly comment: string | undefined;
  /** What the amount is worth now, if the invoice has no price. */
  readonly worth: FiatAmount | undefined;
  /** Whether its node has cancelled the open invoice, so that only wallets of this service can pay it. */
  readonly isClosedOutside: boolean;
  /** The QR code, as a URL, while the invoice can be paid. */
  readonly qr: string | undefined;
}

type Status = LightningTransaction['status'];

/** What the page says about a status. */
interface Words {
  readonly badge: Html;
  readonly title: string;
  readonly text: string;
}

/** Returns the page of an invoice: it waits for the payment, or has the receipt, or says why it cannot be paid. */
export function renderCheckout(view: CheckoutView): Html {
  const { look, root, transaction, subject, statusPath, linkPath } = view;
  const { status, expires_at } = transaction;
  const shape = linkPath === undefined ? 'card wide' : 'card';
  const head = headOf(look, root, subject === '' ? undefined : foreign(subject));
  const body = status === 'open' ? waiting(view) : status === 'settled' ? receipt(view) : ended(view);
  return html`<main class="${shape}" tabindex="-1" data-status="${status}" data-source="${root}${statusPath}"
data-expires="${String(expires_at ?? '')}" data-announcement="${announcement(view)}">${head}${body}${footOf(look, view.texts)}</main>`;
}

/** What a screen reader reads when the status has changed to the present one. */
function announcement({ texts, transaction: { status, num_msat } }: CheckoutView): string {
  if (status === 'open') return '';
  return status === 'settled' ? texts.paidSats(satsText(texts, num_msat)) : wordsOf(texts, status).title;
}

/** An amount with so many digits is written smaller, because it is never cut or wrapped. */
const LONG_MSAT = 10 ** 12;

function hero({ texts, transaction: { num_msat }, comment }: CheckoutView, price: Html | undefined, tone = ''): Html {
  const amount =
    num_msat === 0 ? texts.anyAmount : html`${satDigits(texts, num_msat)}<span class="unit"> ${num_msat === 1000 ? 'sat' : 'sats'}</span>`;
  const size = num_msat >= LONG_MSAT ? 'long' : '';
  return html`<div class="sum"><p class="hero number ${size} ${tone}">${amount}</p>${price && html`<p class="small secondary">${price}</p>`}
${comment === undefined ? undefined : html`<p class="small secondary">${foreign(comment)}</p>`}</div>`;
}

/** The price of the invoice with its rate, or what it is worth now. */
function priceOf({ texts, invoice, worth }: CheckoutView): Html | undefined {
  const fiat = invoice.fiat === undefined ? worth : (JSON.parse(invoice.fiat) as FiatAmount);
  if (!fiat) return undefined;
  const price = priceText(texts, fiat);
  const source = fiat.rate_source.split(' ').join(', ');
  const rate = `${groupedDecimal(texts, fiat.rate)} ${fiat.currency}`;
  const shown = invoice.fiat === undefined ? texts.about(price) : price;
  return html`<span class="number">${shown}</span>${texts.priceAt(rate)}${timeOf(texts, fiat.rate_at)}${texts.priceFrom(source)}`;
}

function waiting(view: CheckoutView): Html {
  const { texts, look, invoice, transaction, isClosedOutside, qr = '' } = view;
  const request = invoice.paymentRequest;
  const { expires_at } = transaction;
  const until =
    expires_at !== null &&
    html`<span class="small faint end number" id="left">${texts.until} ${timeOf(texts, expires_at, { isShort: true })}</span>`;
  return html`${hero(view, priceOf(view))}
<div class="pay"><p class="row status"><span class="badge waiting">${icon('clock')}${texts.waiting}</span>${until || undefined}</p>
<div class="qr" role="img" aria-label="${texts.requestCode}"><img src="${qr}" alt=""></div>
<a class="button primary" href="lightning:${request}">${texts.openWallet}</a>
<code class="invoice" id="request" tabindex="0" aria-label="${texts.invoice}">${request}</code>
<button class="button" type="button" data-copy="request" hidden>${icon('copy')}<span>${texts.copyInvoice}</span></button>
<button class="button" type="button" data-share hidden>${icon('share')}${texts.share}</button>
<noscript><p class="small secondary"><a href="">${texts.check}</a></p></noscript></div>
<p class="small secondary note">${isClosedOutside ? texts.insideOnly(look.brand.name) : texts.note}</p>`;
}

function receipt(view: CheckoutView): Html {
  const { texts, invoice, transaction, linkPath, root } = view;
  const { settled_at, expires_at, num_msat, r_hash_decoded } = transaction;
  const isLate = settled_at !== null && expires_at !== null && settled_at > expires_at;
  const badge = isLate
    ? html`<span class="badge waiting">${icon('alert')}${texts.paidLate}</span>`
    : html`<span class="badge paid">${icon('check')}${texts.paid}</span>`;
  const rows = [
    [texts.amount, html`<span class="number">${satsText(texts, num_msat)}</span>`],
    [texts.time, settled_at === null ? undefined : timeOf(texts, settled_at)],
    [texts.expiredAt, isLate && expires_at !== null ? timeOf(texts, expires_at) : undefined],
    [texts.value, priceOf(view)],
    [texts.for, invoice.memo === '' ? undefined : foreign(invoice.memo)],
    [texts.comment, view.comment === undefined ? undefined : foreign(view.comment)],
    [texts.hash, html`<code>${r_hash_decoded}</code>`],
  ] as const;
  const again = linkPath === undefined ? undefined : html`<a class="button quiet" href="${root}${linkPath}">${texts.payAgain}</a>`;
  return html`${hero({ ...view, comment: undefined }, undefined, 'positive')}
<div class="pay"><p class="row status">${badge}</p><div class="qr paid" role="img" aria-label="${texts.paid}">${icon('tick')}</div></div>
<h2 class="hidden">${texts.receipt}</h2><dl>${rows.map(([name, value]) => value && html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
${isLate ? html`<p class="secondary">${texts.late(view.look.brand.name)}</p>` : undefined}
<div class="actions"><button class="button" type="button" data-print hidden>${icon('printer')}${texts.printReceipt}</button>${again}</div>`;
}

/** Also of a payment that has arrived and is not final. */
function ended(view: CheckoutView): Html {
  const { texts, transaction, linkPath, root } = view;
  const { badge, title, text } = wordsOf(texts, transaction.status);
  const isOpen = transaction.status === 'arriving' || transaction.status === 'held';
  const again =
    linkPath === undefined || isOpen
      ? undefined
      : html`<div class="actions"><a class="button primary" href="${root}${linkPath}">${texts.startAgain}</a></div>`;
  return html`${hero(view, priceOf(view))}<p class="row status">${badge}</p><h2>${title}</h2><p class="secondary">${text}</p>${again}
${isOpen ? html`<noscript><p class="small"><a href="">${texts.check}</a></p></noscript>` : undefined}`;
}

function wordsOf(texts: PayerTexts, status: Status): Words {
  if (status === 'expired' || status === 'cancelled')
    return { ...texts[status], badge: html`<span class="badge">${icon('timer')}${texts[status].badge}</span>` };
  if (status === 'failed') return { ...texts.failed, badge: html`<span class="badge failed">${icon('alert')}${texts.failed.badge}</span>` };
  return { ...texts.arriving, badge: html`<span class="badge waiting">${icon('clock')}${texts.arriving.badge}</span>` };
}
