import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BASE, SETTINGS } from '../lndhub/app.ts';
import { LNDHUB_ROUTES } from '../lndhub/route-table.ts';
import { onFakeNodeWithSqlite } from '../support/app.ts';
import { operationsOf, servedApi } from './conformance/operations.ts';

/** Forms of pages. test/payer-pages/pages.test.ts submits them. */
const FORMS = ['POST /pay/{link}', 'POST /embed/pay/{link}'];

describe('the routes of a service with all features', () => {
  const routes: RouteOptions[] = [];
  const noteRoutes = (message: unknown) => {
    const { fastify } = message as { readonly fastify: FastifyInstance };
    fastify.addHook('onRoute', (route) => void routes.push(route));
  };
  beforeAll(() => subscribe('fastify.initialization', noteRoutes));
  afterAll(() => unsubscribe('fastify.initialization', noteRoutes));

  onFakeNodeWithSqlite(
    'and their descriptions',
    ({ client }) => {
      it('include each one that may change something, so that the tests of all routes cover it', async () => {
        const walk = operationsOf(await servedApi(client));
        const described = walk.flatMap(({ method, path, alias }) => [`${method} ${path}`, `${method} ${alias}`]);
        // The tests of wallet apps have a table of their routes.
        const ofApps = LNDHUB_ROUTES.map(({ method, path }) => `${method} ${BASE}${path}`);
        const tested = new Set([...described, ...ofApps, ...FORMS]);
        const changing = routes.flatMap(({ method, url, config }) => {
          const isRead = [method].flat().every((one) => ['GET', 'HEAD', 'OPTIONS'].includes(one)) && !config?.hasSideEffect;
          if (isRead) return [];
          const path = url.startsWith(`${BASE}/`) ? url : url.replaceAll(/:([A-Za-z]+)/g, '{$1}');
          return [method].flat().map((one) => `${one} ${path}`);
        });
        expect(changing.filter((route) => !tested.has(route))).toEqual([]);
        expect(changing.length).toBeGreaterThan(100);
      });
    },
    { ...SETTINGS, ZAPS: 'true' },
  );
});
