import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Type } from 'typebox';
import { moduleUrl } from '../../core/kernel/module-url.ts';
import type { App } from '../app-type.ts';
import { contentPolicy } from '../headers.ts';
import type { Reference } from './reference-worker.ts';
import { PUBLIC } from './route-schema.ts';

const schema = {
  operationId: 'getDocs',
  tags: ['Service'],
  summary: 'Read this document as a page',
  description: 'The page works offline: it loads nothing from other origins.',
  ...PUBLIC,
  produces: ['text/html'],
  response: { 200: Type.String() },
};

/** Adds `/docs`: the OpenAPI document as a page for people, made by Scalar. */
export function referencePage(app: App): void {
  let loading: ReturnType<typeof loadReference> | undefined;

  /** Loads it at the first request, and again after a failure. */
  function reference() {
    loading ??= loadReference().catch((error) => {
      loading = undefined;
      throw error;
    });
    return loading;
  }

  app.get('/docs', { schema, config: { isDocument: true } }, async (_request, reply) => {
    const { html, inlineScriptHash } = await reference();
    return reply.type('text/html; charset=utf-8').header('content-security-policy', policy(inlineScriptHash)).send(html);
  });

  app.get('/docs/scalar.js', { config: { undocumented: true } }, async (_request, reply) => {
    const { script } = await reference();
    return reply.type('text/javascript; charset=utf-8').header('cache-control', 'public, max-age=86400').send(script);
  });
}

/**
 * The page runs its own script, and loads and sends nothing but the document. The library writes `style` elements and attributes, so inline
 * styles are allowed.
 */
function policy(inlineScriptHash: string): string {
  return contentPolicy({
    'script-src': `'self' 'sha256-${inlineScriptHash}'`,
    'style-src': "'unsafe-inline'",
    'img-src': 'data:',
    'connect-src': "'self'",
  });
}

/** Runs in a worker: loading the library takes 30 MB and half a second, and ends with the worker. */
async function loadReference() {
  const worker = new Worker(moduleUrl('reference-worker', import.meta.url));
  const [made] = (await once(worker, 'message')) as [Reference];
  await worker.terminate();
  // One Buffer for all responses, so that it is compressed once.
  return { ...made, script: Buffer.from(made.script) };
}
