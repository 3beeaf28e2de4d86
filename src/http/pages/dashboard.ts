import type { Dirent } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { App } from '../app-type.ts';
import { contentPolicy, OWN_SOURCES } from '../headers.ts';
import { UNKNOWN_PATH } from '../methods.ts';
import { acceptsPage, PAGE_VARY } from './page.ts';

/** `npm start` and `npm run web` build it from `web/`. */
export const DIST = join(import.meta.dirname, '..', '..', '..', 'web', 'dist');

/** The paths of the dashboard's screens. `web/src/routes.ts` has the same list, with the screens. */
const FOLDERS = ['wallets', 'activity', 'links', 'connections', 'payouts', 'apps', 'keys', 'webhooks', 'settings', 'operator', 'accounts'];
const PAGES = [
  '/payments/*',
  '/more',
  '/contacts',
  '/receive',
  '/send',
  '/scan',
  '/events',
  '/developers',
  '/login',
  '/setup',
  ...FOLDERS.flatMap((name) => [`/${name}`, `/${name}/*`]),
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

const POLICY = contentPolicy({ ...OWN_SOURCES, 'manifest-src': "'self'", 'worker-src': "'self'" }, "'self'");

/** The page that scans codes may use the camera. Pages in frames may not. */
const PERMISSIONS = 'camera=(self), microphone=(), geolocation=(), display-capture=()';

const NOT_BUILT =
  '<!doctype html><title>Satchel</title><p>The dashboard is not built. Run <code>npm run web</code> and restart the service.</p>';

export interface DashboardOptions {
  readonly publicUrl?: string | undefined;
  /** The hosts under which this machine reaches the service. */
  readonly localHosts?: readonly string[] | undefined;
  /** Those that the operator has set up. */
  readonly appProtocols?: readonly ('nwc' | 'lndhub')[] | undefined;
}

/** The dashboard as it was built when the service started. */
export interface Dashboard {
  readonly page: string;
  /** By their path in the build. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** Where browsers at one of these hosts are sent. */
  readonly move: { readonly from: ReadonlySet<string>; readonly to: string } | undefined;
}

/**
 * Reads the built dashboard. `publicUrl` may have a path, under which a proxy publishes the service. The page lists the protocols over which
 * wallet apps can be connected.
 */
export async function readDashboard({ publicUrl, localHosts = [], appProtocols = [] }: DashboardOptions): Promise<Dashboard> {
  const files = await readFiles();
  const page = files.get('index.html')?.toString();
  files.delete('index.html');
  const path = publicUrl === undefined ? '/' : `${new URL(publicUrl).pathname.replace(/\/$/, '')}/`;
  return {
    page:
      page
        ?.replace('<base href="/"', `<base href="${path.replaceAll('"', '%22')}"`)
        .replace('name="satchel-apps" content=""', `name="satchel-apps" content="${appProtocols.join(' ')}"`) ?? NOT_BUILT,
    files,
    move: publicUrl === undefined ? undefined : moveToLocalhost(new URL(publicUrl), localHosts),
  };
}

/** Browsers allow no passkeys at an IP address. So at one of this machine they are sent to `localhost`, where that is the public URL. */
function moveToLocalhost({ protocol, hostname, host, origin }: URL, localHosts: readonly string[]): Dashboard['move'] {
  if (protocol !== 'http:' || hostname !== 'localhost' || !localHosts.includes(host)) return undefined;
  return { from: new Set(localHosts.filter((one) => one !== host)), to: origin };
}

async function readFiles(): Promise<Map<string, Buffer>> {
  const entries = await readdir(DIST, { recursive: true, withFileTypes: true }).catch(() => []);
  // Files that begin with a dot describe the build; those in `docs` are of the page of the API.
  const isPublished = ({ name, parentPath }: Dirent) => !name.startsWith('.') && parentPath !== join(DIST, 'docs');
  const files = entries.filter((entry) => entry.isFile() && isPublished(entry));
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  const read = async (path: string) => [relative(DIST, path).replaceAll('\\', '/'), await readFile(path)] as const;
  return new Map(await Promise.all(paths.map(read)));
}

/** Returns the path of the font; undefined if the dashboard is not built. */
export function fontPath({ files }: Dashboard): string | undefined {
  return [...files.keys()].find((name) => name.endsWith('.woff2'));
}

/** Lets the routes with `isAlsoPage` send the dashboard to browsers. Called before these routes are added. */
export function sendPageToBrowsers(app: App, dashboard: Dashboard): void {
  app.addHook('onRoute', (route) => {
    if (!route.config?.isAlsoPage) return;
    route.onRequest = (request, reply, done) => {
      if (acceptsPage(request)) sendPage(request, reply, dashboard);
      else {
        reply.header('vary', PAGE_VARY);
        done();
      }
    };
  });
}

/**
 * Serves the dashboard: its files, and its page at the path of every screen. At `/`, a program that accepts JSON and not HTML gets links.
 */
export function dashboardRoutes(app: App, dashboard: Dashboard): void {
  const config = { undocumented: true };
  app.get('/', { config }, (request, reply) => {
    if (acceptsPage(request) || !request.headers.accept?.includes('application/json')) return sendPage(request, reply, dashboard);
    return reply.header('vary', PAGE_VARY).send({ name: 'Satchel', docs: 'docs', openapi: 'openapi.json', health: 'healthz' });
  });
  const pages = app.hasRoute({ method: 'GET', url: '/playground' }) ? PAGES : [...PAGES, '/playground'];
  for (const url of pages) app.get(url, { config }, (request, reply) => sendPage(request, reply, dashboard));
  // A route for each of 160 files would take 6 % of the processor time of a start.
  app.get('/assets/:name', { config }, ({ params }, reply) => {
    const name = `assets/${(params as { name: string }).name}`;
    const content = dashboard.files.get(name);
    if (!content) throw new Refusal('not_found', UNKNOWN_PATH);
    return sendFile(reply, name, content);
  });
  for (const [name, content] of dashboard.files) {
    if (!name.startsWith('assets/')) app.get(`/${name}`, { config }, (_request, reply) => sendFile(reply, name, content));
  }
}

function sendPage({ headers, raw }: FastifyRequest, reply: FastifyReply, { page, move }: Dashboard): FastifyReply {
  if (move?.from.has(headers.host ?? '')) return reply.header('vary', 'Host').redirect(`${move.to}${raw.url}`, 307);
  return reply
    .type('text/html; charset=utf-8')
    .header('vary', PAGE_VARY)
    .header('content-security-policy', POLICY)
    .header('permissions-policy', PERMISSIONS)
    .send(page);
}

/** The names in `assets/` contain a hash of the content, so browsers keep these files. */
function sendFile(reply: FastifyReply, name: string, content: Buffer): FastifyReply {
  // The policy of the service worker is that of its file.
  if (name === 'sw.js') reply.header('content-security-policy', POLICY);
  return reply
    .type(TYPES[extname(name)] ?? 'application/octet-stream')
    .header('cache-control', name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache')
    .send(content);
}
