import type { App } from '../app-type.ts';
import { pagePolicy } from '../headers.ts';

const STYLE = `
:root { color-scheme: light dark; --link: #2563eb; }
@media (prefers-color-scheme: dark) { :root { --link: #7dadff; } }
body { margin: 4rem auto; max-width: 38rem; padding: 0 1.5rem; font: 16px/1.55 system-ui, sans-serif; }
a { color: var(--link); }
`;

/** The links are relative, because PUBLIC_URL may have a path. */
const PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Satchel</title><style>${STYLE}</style></head>
<body><h1>Satchel</h1>
<p>This is a Lightning wallet service. Programs use it through an HTTP API with keys that the operator gives out.</p>
<ul><li><a href="docs">API reference</a></li><li><a href="openapi.json">OpenAPI description</a></li><li><a href="healthz">Health</a></li></ul>
</body></html>
`;

const CONTENT_SECURITY_POLICY = pagePolicy(STYLE);

/** `GET /`: a page, or the same links as JSON for a program that accepts JSON and not HTML. */
export function startPage(app: App): void {
  app.get('/', { config: { undocumented: true } }, (request, reply) => {
    const accept = request.headers.accept ?? '';
    reply.header('vary', 'Accept');
    if (accept.includes('application/json') && !accept.includes('text/html'))
      return reply.send({ name: 'Satchel', docs: 'docs', openapi: 'openapi.json', health: 'healthz' });
    return reply.type('text/html; charset=utf-8').header('content-security-policy', CONTENT_SECURITY_POLICY).send(PAGE);
  });
}
