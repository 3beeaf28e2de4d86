import type { Invoice } from '../../core/invoices/invoice.ts';
import type { FiatAmount } from '../../core/kernel/fiat.ts';
import { type Html, html } from '../../http/pages/html.ts';
import type { LightningTransaction } from '../transactions/lightning-transaction-object.ts';
import { foreign, groupedDecimal, priceText, satDigits, satsText, timeOf } from './format.ts';
import { icon } from './icons.ts';
import { footOf, headOf, type Look } from './layout.ts';

export interface CheckoutView {
  readonly look: Look;
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
data-expires="${String(expires_at ?? '')}" data-announcement="${announcement(view)}">${head}${body}${footOf(look)}</main>`;
}

/** What a screen reader reads when the status has changed to the present one. */
function announcement({ transaction: { status, num_msat } }: CheckoutView): string {
  if (status === 'open') return '';
  return status === 'settled' ? `Paid, ${satsText(num_msat)}` : wordsOf(status).title;
}

/** An amount with so many digits is written smaller, because it is never cut or wrapped. */
const LONG_MSAT = 10 ** 12;

function hero({ transaction: { num_msat }, comment }: CheckoutView, price: Html | undefined, tone = ''): Html {
  const amount =
    num_msat === 0 ? 'Any amount' : html`${satDigits(num_msat)}<span class="unit"> ${num_msat === 1000 ? 'sat' : 'sats'}</span>`;
  const size = num_msat >= LONG_MSAT ? 'long' : '';
  return html`<div class="sum"><p class="hero number ${size} ${tone}">${amount}</p>${price && html`<p class="small secondary">${price}</p>`}
${comment === undefined ? undefined : html`<p class="small secondary">${foreign(comment)}</p>`}</div>`;
}

/** The price of the invoice with its rate, or what it is worth now. */
function priceOf({ invoice, worth }: CheckoutView): Html | undefined {
  const fiat = invoice.fiat === undefined ? worth : (JSON.parse(invoice.fiat) as FiatAmount);
  if (!fiat) return undefined;
  const about = invoice.fiat === undefined ? 'About ' : '';
  const source = fiat.rate_source.split(' ').join(', ');
  return html`<span class="number">${about}${priceText(fiat)}</span> at <span class="number">${groupedDecimal(fiat.rate)} ${fiat.currency}</span> per BTC,
read ${timeOf(fiat.rate_at)} from ${source}`;
}

function waiting(view: CheckoutView): Html {
  const { invoice, transaction, qr = '' } = view;
  const request = invoice.paymentRequest;
  const { expires_at } = transaction;
  const until =
    expires_at !== null && html`<span class="small faint end number" id="left">until ${timeOf(expires_at, { isShort: true })}</span>`;
  return html`${hero(view, priceOf(view))}
<div class="pay"><p class="row status"><span class="badge waiting">${icon('clock')}Waiting for payment</span>${until || undefined}</p>
<div class="qr" role="img" aria-label="QR code of the payment request"><img src="${qr}" alt=""></div>
<a class="button primary" href="lightning:${request}">Open in wallet</a>
<code class="invoice" id="request" tabindex="0" aria-label="Invoice">${request}</code>
<button class="button" type="button" data-copy="request" hidden>${icon('copy')}<span>Copy invoice</span></button>
<noscript><p class="small secondary"><a href="">Check for the payment</a></p></noscript></div>
<p class="small secondary note">Paying takes a few seconds and needs no account here.</p>`;
}

function receipt(view: CheckoutView): Html {
  const { invoice, transaction, linkPath, root } = view;
  const { settled_at, expires_at, num_msat, r_hash_decoded } = transaction;
  const isLate = settled_at !== null && expires_at !== null && settled_at > expires_at;
  const badge = isLate
    ? html`<span class="badge waiting">${icon('alert')}Paid late</span>`
    : html`<span class="badge paid">${icon('check')}Paid</span>`;
  const rows = [
    ['Amount', html`<span class="number">${satsText(num_msat)}</span>`],
    ['Time', settled_at === null ? undefined : timeOf(settled_at)],
    ['Expired', isLate && expires_at !== null ? timeOf(expires_at) : undefined],
    ['Value', priceOf(view)],
    ['For', invoice.memo === '' ? undefined : foreign(invoice.memo)],
    ['Comment', view.comment === undefined ? undefined : foreign(view.comment)],
    ['Payment hash', html`<code>${r_hash_decoded}</code>`],
  ] as const;
  const again = linkPath === undefined ? undefined : html`<a class="button quiet" href="${root}${linkPath}">Pay again</a>`;
  return html`${hero({ ...view, comment: undefined }, undefined, 'positive')}
<div class="pay"><p class="row status">${badge}</p><div class="qr paid" role="img" aria-label="Paid">${icon('tick')}</div></div>
<h2 class="hidden">Receipt</h2><dl>${rows.map(([name, value]) => value && html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
${isLate ? html`<p class="secondary">The payment arrived after the invoice had expired. The money is safe. Ask ${view.look.brand.name} what happens now.</p>` : undefined}
<div class="actions"><button class="button" type="button" data-print hidden>${icon('printer')}Print receipt</button>${again}</div>`;
}

/** Also of a payment that has arrived and is not final. */
function ended(view: CheckoutView): Html {
  const { transaction, linkPath, root } = view;
  const { badge, title, text } = wordsOf(transaction.status);
  const isOpen = transaction.status === 'arriving' || transaction.status === 'held';
  const again =
    linkPath === undefined || isOpen
      ? undefined
      : html`<div class="actions"><a class="button primary" href="${root}${linkPath}">Start again</a></div>`;
  return html`${hero(view, priceOf(view))}<p class="row status">${badge}</p><h2>${title}</h2><p class="secondary">${text}</p>${again}
${isOpen ? html`<noscript><p class="small"><a href="">Check for the payment</a></p></noscript>` : undefined}`;
}

function wordsOf(status: Status): Words {
  const gone = (label: string) => html`<span class="badge">${icon('timer')}${label}</span>`;
  if (status === 'expired')
    return { badge: gone('Expired'), title: 'The invoice has expired', text: 'Nothing was paid. Ask for a new invoice.' };
  if (status === 'cancelled')
    return {
      badge: gone('Cancelled'),
      title: 'The invoice was cancelled',
      text: 'Nothing was paid. Ask for a new invoice if you still want to pay.',
    };
  if (status === 'failed')
    return {
      badge: html`<span class="badge failed">${icon('alert')}Not received</span>`,
      title: 'The payment did not arrive',
      text: 'The Lightning network reported a payment that never came. Look in your wallet before you pay again.',
    };
  return {
    badge: html`<span class="badge waiting">${icon('clock')}Arriving</span>`,
    title: 'The payment is arriving',
    text: 'It is not final yet. Do not pay again. You can leave this page.',
  };
}
