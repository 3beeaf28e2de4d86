import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from './html.ts';
import { preferredLanguage, setLanguage } from './language.ts';
import { PAGE_VARY, sendPage } from './page.ts';

interface Texts {
  readonly code: string;
  readonly title: string;
  readonly reason: string;
  readonly start: string;
  readonly docs: string;
}

const EN: Texts = {
  code: 'en',
  title: 'Page not found',
  reason: 'This address does not exist. It may be incomplete.',
  start: 'Open the start page',
  docs: 'List the paths of the API',
};

const LANGUAGES: readonly Texts[] = [
  EN,
  {
    code: 'de',
    title: 'Seite nicht gefunden',
    reason: 'Diese Adresse gibt es nicht. Vielleicht ist sie unvollständig.',
    start: 'Startseite öffnen',
    docs: 'Pfade der API anzeigen',
  },
  {
    code: 'es',
    title: 'Página no encontrada',
    reason: 'Esta dirección no existe. Puede que esté incompleta.',
    start: 'Abrir la página de inicio',
    docs: 'Ver las rutas de la API',
  },
];

/** Responds 404 to a browser that opens an unknown path, in its language. The links are relative, because PUBLIC_URL may have a path. */
export function sendNotFoundPage({ url, headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const texts = preferredLanguage(headers['accept-language'] ?? '', LANGUAGES, EN);
  const path = url.split('?', 1)[0] ?? '';
  const root = '../'.repeat(path.split('/').length - 2) || './';
  const main = html`<main class="link"><h1>${texts.title}</h1><p>${texts.reason}</p>
<p><a class="button" href="${root}">${texts.start}</a></p><p><a href="${root}docs">${texts.docs}</a></p></main>`;
  setLanguage(reply.header('vary', PAGE_VARY), texts);
  return sendPage(reply.code(404), texts.title, main, texts.code);
}
