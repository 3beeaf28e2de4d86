import type { FastifyReply } from 'fastify';
import { encodeLnurl } from '../../core/lightning/bech32.ts';
import { Html, html } from '../../http/pages/html.ts';
import { sendPage } from '../../http/pages/page.ts';
import { lightningUri, qrSvg } from '../../http/pages/qr.ts';
import { imageIn } from './pay/link-settings.ts';
import type { PayParameters } from './pay/pay-requests.ts';
import type { ClaimParameters } from './withdraw/claims.ts';

/** Shows a withdraw link to a person who opens it in a browser. */
export function sendWithdrawPage(reply: FastifyReply, offer: ClaimParameters): FastifyReply {
  const text = html`<p>${offer.defaultDescription}</p>`;
  return sendLnurlPage(reply, 'Receive bitcoin', text, `Up to ${satoshis(offer.maxWithdrawable)}`, offer.callback);
}

/** Shows a pay link or a Lightning address to a person who opens it in a browser. */
export function sendPayPage(reply: FastifyReply, offer: PayParameters): FastifyReply {
  const metadata = new Map(JSON.parse(offer.metadata) as [string, string][]);
  const image = imageIn(offer.metadata);
  const title = metadata.get('text/identifier') ?? metadata.get('text/email') ?? 'Pay with Lightning';
  const text = html`${image && html`<img src="data:${image.join(',')}" alt="">`}
<p>${metadata.get('text/long-desc') ?? metadata.get('text/plain')}</p>`;
  return sendLnurlPage(reply, title, text, `${satoshis(offer.minSendable)} to ${satoshis(offer.maxSendable)}`, offer.callback);
}

/** `url` is that of step 1, which the QR code encodes. */
function sendLnurlPage(reply: FastifyReply, title: string, text: Html, amounts: string, url: string): FastifyReply {
  const lnurl = encodeLnurl(url);
  const body = html`<main class="link"><h1>${title}</h1>
${text}
${new Html(qrSvg(lightningUri(lnurl)))}
<p><a class="button" href="lightning:${lnurl}">Open in wallet</a></p>
<p>${amounts}</p>
<p class="muted">Scan the code with a Lightning wallet, or paste this text into it:</p>
<p><code>${lnurl}</code></p></main>`;
  return sendPage(reply, title, body);
}

function satoshis(amountMsat: number): string {
  return `${Math.floor(amountMsat / 1000).toLocaleString('en-US')} sat`;
}
