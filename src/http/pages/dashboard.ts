import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../app-type.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A browser that opens the path gets the dashboard; programs get the response of the route. */
    isAlsoPage?: boolean;
  }
}

/** `npm run web` builds it from `web/`. */
const DIST = join(import.meta.dirname, '..', '..', '..', 'web', 'dist');

/** The paths of the dashboard's screens. `web/src/routes.ts` has the same list, with the screens. */
const PAGES = [
  '/wallets',
  '/wallets/*',
  '/payments/*',
  '/links',
  '/links/*',
  '/keys',
  '/keys/*',
  '/webhooks',
  '/webhooks/*',
  '/events',
  '/developers',
  '/settings',
  '/settings/*',
  '/login',
  '/setup',
  '/operator',
  '/operator/*',
  '/accounts',
  '/accounts/*',
];

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** Scripts, styles and requests of the service itself, and nothing else. `data:` is for the pictures in pay links of other services. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const NOT_BUILT =
  '<!doctype html><title>Satchel</title><p>The dashboard is not built. Run <code>npm run web</code> and restart the service.</p>';

/**
 * Serves the dashboard: its files, and its page at the path of every screen. At `/`, a program that accepts JSON and not HTML gets links.
 * `publicUrl` may have a path, under which a proxy publishes the service.
 */
export function dashboard(app: App, publicUrl: string | undefined): void {
  const page = readPage(publicUrl);
  const sendPage = (reply: FastifyReply) =>
    reply.type('text/html; charset=utf-8').header('vary', 'Accept').header('content-security-policy', POLICY).send(page);
  const config = { undocumented: true };

  app.get('/', { config }, (request, reply) => {
    if (acceptsHtml(request) || !request.headers.accept?.includes('application/json')) return sendPage(reply);
    return reply.header('vary', 'Accept').send({ name: 'Satchel', docs: 'docs', openapi: 'openapi.json', health: 'healthz' });
  });
  for (const url of PAGES) app.get(url, { config }, (_request, reply) => sendPage(reply));
  if (!app.hasRoute({ method: 'GET', url: '/playground' })) app.get('/playground', { config }, (_request, reply) => sendPage(reply));
  if (existsSync(DIST)) for (const name of fileNames()) serveFile(app, name);
}

/** Lets the routes with `isAlsoPage` send the dashboard to browsers. Called before these routes are added. */
export function sendPageToBrowsers(app: App, publicUrl: string | undefined): void {
  const page = readPage(publicUrl);
  app.addHook('onRoute', (route) => {
    if (!route.config?.isAlsoPage) return;
    route.onRequest = (request, reply, done) => {
      reply.header('vary', 'Accept');
      if (!acceptsHtml(request)) return done();
      reply.type('text/html; charset=utf-8').header('content-security-policy', POLICY).send(page);
    };
  });
}

function acceptsHtml({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') === true;
}

function readPage(publicUrl: string | undefined): string {
  const file = join(DIST, 'index.html');
  if (!existsSync(file)) return NOT_BUILT;
  const path = publicUrl === undefined ? '/' : `${new URL(publicUrl).pathname.replace(/\/$/, '')}/`;
  return readFileSync(file, 'utf8').replace('<base href="/"', `<base href="${path.replaceAll('"', '%22')}"`);
}

function fileNames(): string[] {
  const entries = readdirSync(DIST, { recursive: true, withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(DIST.length + 1));
  return names.filter((name) => name !== 'index.html');
}

/** The names in `assets/` contain a hash of the content, so browsers keep these files. */
function serveFile(app: App, name: string): void {
  const type = TYPES[extname(name)] ?? 'application/octet-stream';
  const content = readFileSync(join(DIST, name));
  const isText = !/^(image\/png|font\/)/.test(type);
  const cacheControl = name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
  let compressed: Promise<Buffer> | undefined;
  app.get(`/${name.replaceAll('\\', '/')}`, { config: { undocumented: true } }, async (request, reply) => {
    reply.type(type).headers({ 'cache-control': cacheControl, vary: 'Accept-Encoding' });
    if (!isText || !/\bbr\b/.test(String(request.headers['accept-encoding'] ?? ''))) return reply.send(content);
    compressed ??= promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } });
    return reply.header('content-encoding', 'br').send(await compressed);
  });
}
