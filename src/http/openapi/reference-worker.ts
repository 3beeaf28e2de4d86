import { hash } from 'node:crypto';
import { isMainThread, parentPort } from 'node:worker_threads';
import scalar from '@scalar/fastify-api-reference';
import Fastify from 'fastify';

/** The reference page and its script. */
export interface Reference {
  readonly html: string;
  readonly script: Uint8Array;
  /** The SHA-256 of the script in the page, in base64, for its Content-Security-Policy. */
  readonly inlineScriptHash: string;
}

/** The addresses are relative, because PUBLIC_URL may have a path. Nothing is loaded from another origin, and no request is sent. */
const CONFIGURATION = {
  sources: [
    { url: 'openapi.json', title: 'API' },
    { url: 'openapi-operator.json', title: 'Operators and the dashboard' },
  ],
  cdn: 'docs/scalar.js',
  pageTitle: 'Satchel API',
  withDefaultFonts: false,
  telemetry: false,
  hideTestRequestButton: true,
  hideClientButton: true,
  showDeveloperTools: 'never' as const,
  agent: { disabled: true },
  mcp: { disabled: true },
  defaultOpenAllTags: false,
  defaultHttpClient: { targetKey: 'shell' as const, clientKey: 'curl' as const },
};

async function makeReference(): Promise<Reference> {
  const app = Fastify();
  await app.register(scalar, { routePrefix: '/docs', configuration: CONFIGURATION });
  const html = (await app.inject('/docs/')).body;
  const script = (await app.inject('/docs/js/scalar.js')).rawPayload;
  const [, inline = ''] = /<script type="text\/javascript">([^<]*)<\/script>/.exec(html) ?? [];
  return { html, script, inlineScriptHash: hash('sha256', inline, 'base64') };
}

if (!isMainThread) parentPort?.postMessage(await makeReference());
