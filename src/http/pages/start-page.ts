import type { App } from '../app-type.ts';
import { html } from './html.ts';
import { sendPage } from './page.ts';

/** The links are relative, because PUBLIC_URL may have a path. */
const BODY = html`<h1>Satchel</h1>
<p>This is a Lightning wallet service. Programs use it through an HTTP API with keys that the operator gives out.</p>
<ul><li><a href="docs">API reference</a></li><li><a href="openapi.json">OpenAPI description</a></li><li><a href="healthz">Health</a></li></ul>`;

/** `GET /`: a page, or the same links as JSON for a program that accepts JSON and not HTML. */
export function startPage(app: App): void {
  app.get('/', { config: { undocumented: true } }, (request, reply) => {
    const accept = request.headers.accept ?? '';
    reply.header('vary', 'Accept');
    if (accept.includes('application/json') && !accept.includes('text/html'))
      return reply.send({ name: 'Satchel', docs: 'docs', openapi: 'openapi.json', health: 'healthz' });
    return sendPage(reply, 'Satchel', BODY);
  });
}
