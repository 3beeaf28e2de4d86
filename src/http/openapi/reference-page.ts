import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from 'typebox';
import type { App } from '../app-type.ts';
import { contentPolicy } from '../headers.ts';
import { DIST } from '../pages/dashboard.ts';
import { PUBLIC } from './route-schema.ts';

const NOT_BUILT =
  '<!doctype html><title>Satchel API</title><p>This page is not built. Run <code>npm run web</code>, or read <a href="openapi.json">the document</a>.</p>';

const schema = {
  operationId: 'getDocs',
  tags: ['Service'],
  summary: 'Read this document as a page',
  description: 'The page works offline: it loads nothing from other origins.',
  ...PUBLIC,
  produces: ['text/html'],
  response: { 200: Type.String() },
};

/** Adds `/docs`: the OpenAPI document as a page for people. The build of the dashboard makes it, with Scalar; it is read when it is requested. */
export function referencePage(app: App): void {
  /** One Buffer for all responses, so that it is compressed once. */
  let script: Promise<Buffer | undefined> | undefined;

  app.get('/docs', { schema, config: { isDocument: true } }, async (_request, reply) => {
    const page = (await read('page.html'))?.toString() ?? NOT_BUILT;
    return reply.type('text/html; charset=utf-8').header('content-security-policy', policy(page)).send(page);
  });

  app.get('/docs/scalar.js', { config: { undocumented: true } }, async (_request, reply) => {
    script ??= read('scalar.js');
    const content = await script;
    if (content === undefined) return reply.callNotFound();
    return reply.type('text/javascript; charset=utf-8').header('cache-control', 'public, max-age=86400').send(content);
  });
}

/** Returns a file of the page; undefined if it is not built. */
function read(name: string): Promise<Buffer | undefined> {
  return readFile(join(DIST, 'docs', name)).catch(() => undefined);
}

/**
 * The page runs its own script, and loads and sends nothing but the document. The library writes `style` elements and attributes, so inline
 * styles are allowed.
 */
function policy(page: string): string {
  const [, inline = ''] = /<script type="text\/javascript">([^<]*)<\/script>/.exec(page) ?? [];
  return contentPolicy({
    'script-src': `'self' 'sha256-${hash('sha256', inline, 'base64')}'`,
    'style-src': "'unsafe-inline'",
    'img-src': 'data:',
    'connect-src': "'self'",
  });
}
