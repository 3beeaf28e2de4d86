import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { contentPolicy } from '../headers.ts';
import { Html, html } from './html.ts';

const STYLE = `
:root { color-scheme: light dark; background: Canvas; color: CanvasText; --link: #2563eb; --muted: #5b6472; }
@media (prefers-color-scheme: dark) { :root { --link: #7dadff; --muted: #9aa4b2; } }
body { margin: 3rem auto; max-width: 38rem; padding: 0 1.5rem; font: 16px/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: var(--link); }
.link { text-align: center; }
.link h1 { font-size: 1.5rem; }
.link svg, .link img { display: block; margin: 1.5rem auto; max-width: 100%; height: auto; border-radius: 12px; }
.link svg { width: 20rem; }
.link img { max-height: 8rem; }
.button { display: inline-block; padding: .6rem 1.4rem; border-radius: 8px; background: #2563eb; color: #fff; text-decoration: none; }
code { user-select: all; font-size: .8rem; color: var(--muted); }
.muted { color: var(--muted); }
`;

/** One inline style and inline images, without scripts. */
const POLICY = contentPolicy({ 'style-src': `'sha256-${hash('sha256', STYLE, 'base64')}'`, 'img-src': 'data:' });
/** Not escaped: the policy has the hash of this text. */
const STYLE_ELEMENT = new Html(`<style>${STYLE}</style>`);

/** The headers of {@link acceptsPage}, for `Vary`. */
export const PAGE_VARY = 'Accept, Sec-Fetch-Mode';

/**
 * Returns whether a browser opens a document. Browsers say so in `Sec-Fetch-Mode`, but only over https. Otherwise they prefer HTML to everything and
 * accept XHTML. Programs often accept HTML, too: they get JSON.
 */
export function acceptsPage({ headers }: FastifyRequest): boolean {
  const { 'sec-fetch-mode': mode, accept = '' } = headers;
  if (mode === 'navigate') return true;
  const weights = weightsOf(accept);
  const html = weights.get('text/html') ?? 0;
  const json = weights.get('application/json') ?? weights.get('application/*') ?? weights.get('*/*') ?? weights.get('*') ?? 0;
  return html > json && (weights.get('application/xhtml+xml') ?? 0) > 0 && html >= Math.max(...weights.values());
}

/** Returns the weight of each media range in an `Accept` header: 0 to 1. Source: RFC 9110, 12.5.1. */
function weightsOf(accept: string): ReadonlyMap<string, number> {
  return new Map(
    accept.split(',').map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
      return [type, weight === undefined ? 1 : Number(weight) || 0];
    }),
  );
}

/** Sends a page without scripts, which loads nothing. */
export function sendPage(reply: FastifyReply, title: string, body: Html, language = 'en'): FastifyReply {
  const document = html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${title}</title>${STYLE_ELEMENT}</head>
<body>${body}</body></html>
`;
  return reply.type('text/html; charset=utf-8').header('content-security-policy', POLICY).send(document.markup);
}

/** The page of a link or an address that does not work. */
export function sendLnurlErrorPage(reply: FastifyReply, reason: string): FastifyReply {
  return sendPage(reply, 'This link does not work', html`<main class="link"><h1>This link does not work</h1><p>${reason}</p></main>`);
}
