// Writes the page of the API and its script to a folder: `node scripts/reference.mjs <folder>`. scripts/dashboard.mjs runs it with every build.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import scalar from '@scalar/fastify-api-reference';
import Fastify from 'fastify';

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
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  defaultOpenAllTags: false,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
};

const folder = process.argv[2];
const app = Fastify();
await app.register(scalar, { routePrefix: '/docs', configuration: CONFIGURATION });
writeFileSync(join(folder, 'page.html'), (await app.inject('/docs/')).body);
// The source maps that the script names are not published.
writeFileSync(join(folder, 'scalar.js'), (await app.inject('/docs/js/scalar.js')).body.replaceAll(/^\/\/# sourceMappingURL=.*$/gm, ''));
