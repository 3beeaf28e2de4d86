import type { FastifyReply, FastifyRequest } from 'fastify';
import { contentPolicy, OWN_SOURCES } from '../../http/headers.ts';
import { type Html, html } from '../../http/pages/html.ts';
import { setLanguage } from '../../http/pages/language.ts';
import type { Brand } from './brand.ts';
import { decimalMark } from './format.ts';
import { icon, LOGO } from './icons.ts';
import { languageOf, type PayerTexts } from './language.ts';

/** What all pages for payers have in common. */
export interface Look {
  readonly brand: Brand;
  readonly publicUrl: string;
  /** The path of the font among the files of the dashboard; undefined if that is not built. */
  readonly font: string | undefined;
  /** The origins whose pages may show these pages in a frame. */
  readonly embedSites: readonly string[];
}

export interface PayerPage {
  readonly title: string;
  readonly texts: PayerTexts;
  readonly main: Html;
  /** The path from the page to the root of the service, which may be under a path of a proxy. */
  readonly root: string;
  /** Whether the page is one for frames. */
  readonly isFramed: boolean;
}

/** Returns the relative path from a page to the root of the service, and whether the page is one for frames. */
export function placeOf({ url }: FastifyRequest): Pick<PayerPage, 'root' | 'isFramed'> {
  const path = url.split('?', 1)[0] ?? '';
  return { root: '../'.repeat(path.split('/').length - 2) || './', isFramed: path.startsWith('/embed/') };
}

function policyOf(look: Look, isFramed: boolean): string {
  return contentPolicy({
    ...OWN_SOURCES,
    'form-action': "'self'",
    'frame-ancestors': (isFramed && look.embedSites.join(' ')) || "'none'",
  });
}

/** Sends a page. */
export function sendPayerPage(reply: FastifyReply, look: Look, { title, texts, main, root, isFramed }: PayerPage): FastifyReply {
  const font = look.font && html`<link rel="preload" href="${root}${look.font}" as="font" type="font/woff2" crossorigin>`;
  const document = html`<!doctype html>
<html lang="${texts.code}" dir="${texts.direction}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${title} · ${look.brand.name}</title>${font}
<link rel="stylesheet" href="${root}pay.css"><link rel="icon" href="${root}icon.svg"><script type="module" src="${root}pay-page.js"></script></head>
<body data-texts="${scriptTexts(texts)}"${isFramed ? html` class="framed"` : undefined}>${main}<p id="announcement" class="hidden" role="status"></p></body></html>
`;
  setLanguage(reply, texts);
  // Without a referrer, browsers would send the form of the page with the Origin `null`.
  const headers = { 'content-security-policy': policyOf(look, isFramed), 'referrer-policy': 'same-origin' };
  return reply.type('text/html; charset=utf-8').headers(headers).send(document.markup);
}

/** The texts that the script of the pages writes. Its values replace `{0}` and `{1}`. */
function scriptTexts(texts: PayerTexts): string {
  const { enterAmount, notNumber, copied, selected } = texts;
  return JSON.stringify({
    enterAmount,
    notNumber,
    copied,
    selected,
    outOfRange: texts.outOfRange('{0}', '{1}'),
    pay: texts.paySats('{0}'),
    continue: texts.continue,
    left: texts.left('{0}'),
    decimal: decimalMark(texts),
  });
}

/** The logo and the name of the operator, with a line below the name. */
export function headOf({ brand }: Look, root: string, below: Html | undefined): Html {
  const logo = brand.logo
    ? html`<img class="logo" src="${root}pay-logo.png" alt="" width="40" height="40">`
    : html`<span class="logo" aria-hidden="true">${[...brand.name][0]?.toUpperCase()}</span>`;
  return html`<header>${logo}<div><h1><bdi>${brand.name}</bdi></h1>${below && html`<p class="small secondary">${below}</p>`}</div></header>`;
}

export function footOf({ publicUrl }: Look, { paymentTo }: PayerTexts): Html {
  const { host } = new URL(publicUrl);
  return html`<footer>${icon('lock')}<span>${paymentTo(host)}</span><span class="end">${LOGO} Satchel</span></footer>`;
}

/** Sends a page with the reason why there is nothing to pay. */
export function sendProblemPage(request: FastifyRequest, reply: FastifyReply, look: Look, reason: string): FastifyReply {
  const place = placeOf(request);
  const texts = languageOf(request);
  const main = html`<main class="card">${headOf(look, place.root, undefined)}
<h2>${texts.cannotPay}</h2><p class="secondary">${reason}</p>${footOf(look, texts)}</main>`;
  return sendPayerPage(reply, look, { title: texts.notFound, texts, main, ...place });
}
