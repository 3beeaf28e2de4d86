import type { FastifyReply, FastifyRequest } from 'fastify';
import { encodeLnurl } from '../../core/lightning/bech32.ts';
import { Html, html } from '../../http/pages/html.ts';
import { PAGE_VARY, sendPage } from '../../http/pages/page.ts';
import { lightningUri, qrSvg } from '../../http/pages/qr.ts';
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

/** Sends a browser from the address of a pay link, which wallets call, to its page for people. */
export function redirectToPage(reply: FastifyReply, url: string): FastifyReply {
  return reply.header('vary', PAGE_VARY).redirect(url, 302);
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
