import type { FastifyReply, FastifyRequest } from 'fastify';
import { encodeLnurl } from '../../core/lightning/bech32.ts';
import { Html, html } from '../../http/pages/html.ts';
import { sendPage } from '../../http/pages/page.ts';
import { lightningUri, qrSvg } from '../../http/pages/qr.ts';
import { imageIn } from './pay/link-settings.ts';
import type { PayParameters } from './pay/pay-requests.ts';
import type { ClaimParameters } from './withdraw/claims.ts';

/** Shows a withdraw link to a person who opens it in a browser. */
export function sendWithdrawPage(request: FastifyRequest, reply: FastifyReply, offer: ClaimParameters): Promise<FastifyReply> {
  return sendLnurlPage(request, reply, {
    title: 'Receive bitcoin',
    text: html`<p>${offer.defaultDescription}</p>`,
    amounts: `Up to ${satoshis(offer.maxWithdrawable)}`,
    url: offer.callback,
  });
}

/** Shows a pay link or a Lightning address to a person who opens it in a browser. */
export function sendPayPage(request: FastifyRequest, reply: FastifyReply, offer: PayParameters): Promise<FastifyReply> {
  const metadata = new Map(JSON.parse(offer.metadata) as [string, string][]);
  const image = imageIn(offer.metadata);
  const title = metadata.get('text/identifier') ?? metadata.get('text/email') ?? 'Pay with Lightning';
  const text = html`${image && html`<img src="data:${image.join(',')}" alt="">`}
<p>${metadata.get('text/long-desc') ?? metadata.get('text/plain')}</p>`;
  const amounts = `${satoshis(offer.minSendable)} to ${satoshis(offer.maxSendable)}`;
  return sendLnurlPage(request, reply, { title, text, amounts, url: offer.callback });
}

interface LnurlPage {
  readonly title: string;
  readonly text: Html;
  readonly amounts: string;
  /** That of step 1, which the QR code encodes. */
  readonly url: string;
}

async function sendLnurlPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { title, text, amounts, url }: LnurlPage,
): Promise<FastifyReply> {
  const lnurl = encodeLnurl(url);
  const svg = await qrSvg(request, lightningUri(lnurl));
  const body = html`<main class="link"><h1>${title}</h1>
${text}
${new Html(svg)}
<p><a class="button" href="lightning:${lnurl}">Open in wallet</a></p>
<p>${amounts}</p>
<p class="muted">Scan the code with a Lightning wallet, or paste this text into it:</p>
<p><code>${lnurl}</code></p></main>`;
  return sendPage(reply, title, body);
}

function satoshis(amountMsat: number): string {
  return `${Math.floor(amountMsat / 1000).toLocaleString('en-US')} sat`;
}
