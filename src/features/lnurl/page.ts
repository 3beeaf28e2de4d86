import type { FastifyReply } from 'fastify';
import { encodeLnurl } from '../../core/lightning/bech32.ts';
import { Html, html } from '../../http/pages/html.ts';
import { sendPage } from '../../http/pages/page.ts';
import { lightningUri, qrSvg } from '../../http/pages/qr.ts';
import { imageIn } from './pay/link-settings.ts';
import type { PayParameters } from './pay/pay-requests.ts';
import type { ClaimParameters } from './withdraw/claims.ts';

/** What a person sees who opens an LNURL or a Lightning address in a browser. */
interface LnurlPage {
  readonly title: string;
  readonly address: string | undefined;
  readonly text: string | undefined;
  /** A data URL. */
  readonly image: string | undefined;
  readonly amounts: string;
  /** The URL of step 1, which the QR code encodes. */
  readonly url: string;
}

export function sendWithdrawPage(reply: FastifyReply, offer: ClaimParameters): FastifyReply {
  return sendLnurlPage(reply, {
    title: 'Receive bitcoin',
    address: undefined,
    text: offer.defaultDescription,
    image: undefined,
    amounts: `Up to ${satoshis(offer.maxWithdrawable)}`,
    url: offer.callback,
  });
}

export function sendPayPage(reply: FastifyReply, offer: PayParameters): FastifyReply {
  const metadata = new Map(JSON.parse(offer.metadata) as [string, string][]);
  const image = imageIn(offer.metadata);
  return sendLnurlPage(reply, {
    title: 'Pay with Lightning',
    address: metadata.get('text/identifier') ?? metadata.get('text/email'),
    text: metadata.get('text/long-desc') ?? metadata.get('text/plain'),
    image: image && `data:${image.type},${image.data}`,
    amounts: `${satoshis(offer.minSendable)} to ${satoshis(offer.maxSendable)}`,
    url: offer.callback,
  });
}

function sendLnurlPage(reply: FastifyReply, { title, address, text, image, amounts, url }: LnurlPage): FastifyReply {
  const lnurl = encodeLnurl(url);
  const body = html`<main class="link"><h1>${address ?? title}</h1>
${image && html`<img src="${image}" alt="">`}
<p>${text}</p>
${new Html(qrSvg(lightningUri(lnurl)))}
<p><a class="button" href="lightning:${lnurl}">Open in wallet</a></p>
<p>${amounts}</p>
<p class="muted">Scan the code with a Lightning wallet, or paste this text into it:</p>
<p><code>${lnurl}</code></p></main>`;
  return sendPage(reply, address ?? title, body);
}

function satoshis(amountMsat: number): string {
  return `${Math.floor(amountMsat / 1000).toLocaleString('en-US')} sat`;
}
