import { minorDigits } from '../../core/kernel/fiat.ts';
import { type Html, html } from '../../http/pages/html.ts';
import { imageIn } from '../lnurl/pay/link-settings.ts';
import { DEFAULT_DESCRIPTION } from '../lnurl/pay/pay-links.ts';
import { type PayPage, payerDataRequest } from '../lnurl/pay/pay-requests.ts';
import { type FilledForm, fixedAmount, limitsOf, type ValidRate } from './amount-form.ts';
import { durationText, foreign, groupedDecimal, priceText, satDigits, satsText } from './format.ts';
import { icon } from './icons.ts';
import type { PayerTexts } from './language.ts';
import { footOf, headOf, type Look } from './layout.ts';

interface PayPageView {
  readonly look: Look;
  readonly texts: PayerTexts;
  readonly root: string;
  readonly page: PayPage;
  /** The valid ones. */
  readonly rates: readonly ValidRate[];
  readonly form: FilledForm;
  /** Why no invoice was created, unless a field is the reason. */
  readonly problem?: string | undefined;
  /** The QR code of the link, as a URL. */
  readonly qr: string;
  readonly nowSeconds: number;
}

/** Returns the page of a pay link or an address: a form for the amount, which works without scripts. */
export function renderPayPage(view: PayPageView): Html {
  const { look, texts, root, page, form, problem, qr } = view;
  const { name, domain, short_desc, long_desc, metadata } = page.link;
  const image = imageIn(metadata);
  const address =
    name === null ? undefined : html`<bdi>${name}${page.tag === undefined ? undefined : `+${page.tag}`}@${domain ?? ''}</bdi>`;
  const isTold = short_desc !== DEFAULT_DESCRIPTION;
  return html`<main class="card">${headOf(look, root, address)}
${look.brand.text === '' ? undefined : html`<p class="small secondary">${look.brand.text}</p>`}
${image === undefined ? undefined : html`<img class="picture" src="data:${image.join(',')}" alt="">`}
${isTold ? html`<p>${foreign(short_desc)}</p>` : undefined}
${long_desc === null ? undefined : html`<p class="small secondary">${foreign(long_desc)}</p>`}
${problem === undefined ? undefined : html`<p class="problem" role="alert">${problem}</p>`}
<form method="post" novalidate>${amountOf(view)}${commentOf(texts, page, form)}${payerFields(texts, page, form)}
<button class="button primary" type="submit">${buttonText(view)}</button></form>
<details><summary class="button quiet">${icon('qr')} ${name === null ? texts.showLinkCode : texts.showAddressCode}</summary>
<div class="qr" role="img" aria-label="${name === null ? texts.linkCode : texts.addressCode}"><img src="${qr}" alt=""></div></details>
${footOf(look, texts)}</main>`;
}

function amountOf(view: PayPageView): Html {
  const { texts, page, rates, form, nowSeconds } = view;
  const fixed = fixedAmount(page);
  if (fixed !== undefined) return fixedPrice(texts, page, fixed);
  const { minMsat, maxMsat } = limitsOf(page);
  const { currency = '', amount = '' } = form.values;
  const chosen =
    rates.some((one) => one.currency === currency) || currency === 'sats' ? currency : (page.link.currency ?? rates[0]?.currency ?? 'sats');
  const options = rates.map((one) => {
    const selected = one.currency === chosen ? html` selected` : undefined;
    return html`<option value="${one.currency}" data-rate="${one.rate.rate}" data-digits="${String(minorDigits(one.currency))}"${selected}>${one.currency}</option>`;
  });
  const sats = html`<option value="sats"${chosen === 'sats' ? html` selected` : undefined}>sats</option>`;
  const unit =
    rates.length === 0
      ? html`<span class="unit">sats</span>`
      : html`<select name="currency" aria-label="${texts.currency}" autocomplete="off">${options}${sats}</select>`;
  const error = form.errors.amount;
  return html`<div class="field"><label for="amount">${texts.amount}</label>
<div class="amount"><input id="amount" name="amount" inputmode="decimal" autocomplete="off" maxlength="24" required value="${amount}"
aria-describedby="${error === undefined ? '' : 'amount-error '}amount-hint"${error === undefined ? undefined : html` aria-invalid="true"`}
data-min="${String(minMsat / 1000)}" data-max="${String(maxMsat / 1000)}">${unit}</div>
<p id="amount-error" class="error"${error === undefined ? html` hidden` : undefined}>${error ?? ''}</p>
<p id="amount-hint" class="hint"><output for="amount" id="converted"></output>${texts.range(satDigits(texts, minMsat), satsText(texts, maxMsat))}
${rates.map((one) => rateText(texts, one, nowSeconds))}</p></div>${chips(texts, page, chosen)}`;
}

/** The rate, with its age and its source. */
function rateText(texts: PayerTexts, { currency, rate }: ValidRate, nowSeconds: number): Html {
  const age = durationText(texts, Math.max(0, nowSeconds - rate.rate_at));
  const price = priceText(texts, { amount: rate.rate, currency });
  return html`<span class="rate">${texts.rate(price, age, rate.rate_source.split(' ').join(', '))}</span>`;
}

function fixedPrice(texts: PayerTexts, { link: { currency, min_amount }, limits: [{ rate }] }: PayPage, fixedMsat: number): Html {
  const price = currency !== null && min_amount !== null && rate ? { amount: min_amount, currency } : undefined;
  const below =
    price &&
    rate &&
    html`<p class="small secondary">${texts.perBtc(priceText(texts, price), `${groupedDecimal(texts, rate.rate)} ${price.currency}`)}</p>`;
  return html`<div><p class="hero number">${satDigits(texts, fixedMsat)}<span class="unit"> ${fixedMsat === 1000 ? 'sat' : 'sats'}</span></p>${below}</div>`;
}

const QUICK_SATS = ['1000', '5000', '21000'];
const QUICK_PRICES = ['2', '5', '10'];

/** Some amounts to choose from. They are links, so that they work without scripts. */
function chips(texts: PayerTexts, page: PayPage, currency: string): Html | undefined {
  const { minMsat, maxMsat } = limitsOf(page);
  const isAllowed = (sats: string) => Number(sats) * 1000 >= minMsat && Number(sats) * 1000 <= maxMsat;
  const isSats = currency === 'sats';
  const times = isSats ? 1 : minorDigits(currency) === 0 ? 100 : 1;
  const amounts = isSats ? QUICK_SATS.filter(isAllowed) : QUICK_PRICES.map((amount) => String(Number(amount) * times));
  if (amounts.length === 0) return undefined;
  const links = amounts.map(
    (amount) =>
      html`<a class="chip" href="?amount=${amount}&amp;currency=${currency}" data-amount="${amount}">${groupedDecimal(texts, amount)} ${currency}</a>`,
  );
  return html`<div class="chips" role="group" aria-label="${texts.quickAmounts}">${links}</div>`;
}

function commentOf(texts: PayerTexts, { link }: PayPage, { values, errors }: FilledForm): Html | undefined {
  if (link.comment_length === 0) return undefined;
  return field(texts, {
    id: 'comment',
    label: texts.comment,
    maxLength: link.comment_length,
    value: values.comment,
    error: errors.comment,
  });
}

/** What browsers fill in for the data of LUD-18. */
const AUTOCOMPLETE: Readonly<Record<string, string>> = { name: 'name', email: 'email' };

function payerFields(texts: PayerTexts, { link }: PayPage, { values, errors }: FilledForm): Html[] {
  return Object.entries(payerDataRequest(link) ?? {}).map(([name, request]) =>
    field(texts, {
      id: `payer_${name}`,
      label: (texts.payerFields as Readonly<Record<string, string>>)[name] ?? name,
      autocomplete: AUTOCOMPLETE[name],
      isRequired: request.mandatory,
      maxLength: 500,
      value: values[`payer_${name}`],
      error: errors[`payer_${name}`],
    }),
  );
}

interface Field {
  readonly id: string;
  readonly label: string;
  readonly maxLength: number;
  readonly isRequired?: boolean;
  readonly autocomplete?: string | undefined;
  readonly value: string | undefined;
  readonly error: string | undefined;
}

function field(texts: PayerTexts, { id, label, maxLength, isRequired = false, autocomplete = 'off', value = '', error }: Field): Html {
  const optional = isRequired ? undefined : html` <span class="faint">${texts.optional}</span>`;
  const invalid = error === undefined ? undefined : html` aria-invalid="true" aria-describedby="${id}-error"`;
  return html`<div class="field"><label for="${id}">${label}${optional}</label>
<input id="${id}" name="${id}" autocomplete="${autocomplete}" maxlength="${String(maxLength)}"${isRequired ? html` required` : undefined} value="${value}"${invalid}>
${error === undefined ? undefined : html`<p id="${id}-error" class="error">${error}</p>`}</div>`;
}

function buttonText({ texts, page, form }: PayPageView): string {
  const fixed = fixedAmount(page);
  if (fixed !== undefined) return texts.paySats(satsText(texts, fixed));
  const { amount = '', currency } = form.values;
  return currency === 'sats' && /^\d{1,15}$/.test(amount) ? texts.paySats(satsText(texts, Number(amount) * 1000)) : texts.continue;
}
