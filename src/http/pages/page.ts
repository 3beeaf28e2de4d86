import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { contentPolicy } from '../headers.ts';
import { Html, html } from './html.ts';

const STYLE = `
:root { color-scheme: light dark; --link: #2563eb; --muted: #5b6472; }
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

/** Returns whether a browser asks for a document. Wallets and programs accept anything, or JSON. */
export function acceptsPage(request: FastifyRequest): boolean {
  return request.headers.accept?.includes('text/html') === true;
}

/** Sends a page without scripts, which loads nothing. */
export function sendPage(reply: FastifyReply, title: string, body: Html): FastifyReply {
  const document = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${title}</title>${STYLE_ELEMENT}</head>
<body>${body}</body></html>
`;
  return reply.type('text/html; charset=utf-8').header('content-security-policy', POLICY).send(document.markup);
}

/** The page of a link or an address that does not work. */
export function sendLnurlErrorPage(reply: FastifyReply, reason: string): FastifyReply {
  return sendPage(reply, 'This link does not work', html`<main class="link"><h1>This link does not work</h1><p>${reason}</p></main>`);
}
