import { openSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { devNull } from 'node:os';
import Fastify from 'fastify';
import { pino } from 'pino';
import { Type } from 'typebox';
import type { Dialect } from '../../src/core/db/database.ts';
import { KeyParams } from '../../src/http/fields.ts';
import { COUNTED } from '../counted.ts';
import type { Figure, Row } from '../row.ts';
import type { Run } from '../run.ts';
import { compare } from '../sides.ts';
import { transferRequests, withLedger, withoutLedger } from '../transfer-route.ts';
import { inMemory, listening, loaded, type Serving, serve, type Web, webOn } from '../web.ts';

const CONNECTIONS = 64;

type Step = (web: Web, answer: string) => Promise<Serving>;

const bareHttp: Step = async (_web, answer) => {
  const server = createHttpServer((request, response) => {
    request.resume().on('end', () => response.writeHead(201, { 'content-type': 'application/json' }).end(answer));
  });
  return listening({
    listen: ({ host, port }) =>
      new Promise((resolve) => server.listen(port, host, () => resolve(`http://${host}:${(server.address() as { port: number }).port}`))),
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  });
};

const bareFastify: Step = (_web, answer) => {
  const app = Fastify({ logger: false });
  app.post('/v1/wallet/:key/transfer', async (_request, reply) => reply.code(201).type('application/json').send(answer));
  return listening(app);
};

/** The service's server with its body parsing, request ids, headers and hooks, and a route that does nothing. */
const ownServer: Step = (_web, answer) =>
  serve((app) =>
    // A documented route without a schema would reject the body.
    app.post('/v1/wallet/:key/transfer', { config: { undocumented: true } }, async (_request, reply) =>
      reply.code(201).type('application/json').send(answer),
    ),
  );

const TRANSFER = Type.Object(
  { dest_wallet_id: Type.String(), num_satoshis: Type.Integer({ minimum: 1 }) },
  { additionalProperties: false },
);

/** Adds validation. The response is constant. */
const validating: Step = (_web, answer) =>
  serve((app) =>
    app.post('/v1/wallet/:key/transfer', { schema: { params: KeyParams, body: TRANSFER } }, async (_request, reply) =>
      reply.code(201).type('application/json').send(answer),
    ),
  );

/** Adds authentication and authorization: credential, wallet and permission are found in memory. */
const authenticating: Step = (web, answer) => {
  const { access } = inMemory(web);
  return serve((app) =>
    app.post('/v1/wallet/:key/transfer', { schema: { params: KeyParams, body: TRANSFER } }, async (request, reply) => {
      await access.authorizeWallet(request, 'wallet_transfer');
      return reply.code(201).type('application/json').send(answer);
    }),
  );
};

/** Validation, authentication from memory, rendering and serialization. */
const routeInMemory: Step = (web) => serve(withoutLedger(inMemory(web)));

/** The complete route except the ledger. */
const guardedRoute: Step = (web) => serve(withoutLedger(web));

const loggingRoute: Step = (web) =>
  serve(withoutLedger(web), pino({ level: 'info', base: null }, pino.destination(openSync(devNull, 'w'))));

/** The speed of each layer of POST transfer, relative to the layer below it. */
export function layerRows(): Row[] {
  const layer = (name: string, upper: [string, Step], lower: [string, Step], meaning: string): Row => ({
    name: `layer: ${name}`,
    meaning,
    unit: 'requests/s',
    measure: (run) => climb(run, upper, lower),
  });
  const route = ['whole route without a ledger', guardedRoute] as [string, Step];
  return [
    layer('Fastify', ['Fastify', bareFastify], ['node:http', bareHttp], 'speed of Fastify ÷ of node:http'),
    layer(
      'server',
      ['Satchel’s server', ownServer],
      ['Fastify', bareFastify],
      'speed with body parsing, request ids, headers and hooks ÷ of Fastify',
    ),
    layer(
      'route',
      ['route', routeInMemory],
      ['Satchel’s server', ownServer],
      'speed with validation, authentication, rendering and serialization ÷ of the server',
    ),
    layer(
      'authentication',
      ['authentication', authenticating],
      ['validation', validating],
      'speed with authentication ÷ with validation only',
    ),
    layer(
      'serialization',
      ['route', routeInMemory],
      ['constant response', authenticating],
      'speed with a rendered and serialized response ÷ with a constant response',
    ),
    idempotencyRow('sqlite'),
    idempotencyRow('postgres'),
    layer(
      'keys and wallets',
      route,
      ['in memory', routeInMemory],
      'speed with keys and wallets read from the database, each at most once a second ÷ from memory',
    ),
    {
      ...layer('logging', ['default logging', loggingRoute], route, 'speed of the route with logging ÷ without'),
      target: { goal: 0.95, floor: 0.85 },
    },
  ];
}

/** The complete route with its ledger. Each request has a different key, which costs a read before the posting and a row in it. */
function idempotencyRow(dialect: Dialect): Row {
  return {
    name: `layer: ${dialect === 'sqlite' ? 'SQLite' : 'PostgreSQL'} idempotency`,
    meaning: 'speed of durable transfers with a new Idempotency-Key each ÷ without',
    unit: 'requests/s',
    async measure(run) {
      await using temporary = await run.database(dialect);
      const web = await webOn(temporary.database);
      await using server = await serve(withLedger(web));
      // The counter restarts in every round, so the time makes the keys unique.
      const keyed = () => transferRequests(web, `idempotency-key: ${Date.now()}-${COUNTED}\r\n`);
      const plain = loaded(run, { name: 'without', server, requests: transferRequests(web) }, CONNECTIONS);
      const named = {
        name: 'with Idempotency-Key',
        round: () => loaded(run, { name: '', server, requests: keyed() }, CONNECTIONS).round(),
      };
      return await compare(run, named, plain);
    },
  };
}

async function climb(run: Run, [name, step]: [string, Step], [lowerName, lowerStep]: [string, Step]): Promise<readonly Figure[]> {
  await using temporary = await run.database('sqlite');
  const web = await webOn(temporary.database);
  const requests = transferRequests(web);
  const answer = await responseOf(web, requests[0] ?? '');
  await using server = await step(web, answer);
  await using lower = await lowerStep(web, answer);
  return await compare(
    run,
    loaded(run, { name, server, requests }, CONNECTIONS),
    loaded(run, { name: lowerName, server: lower, requests }, CONNECTIONS),
  );
}

/** Returns the response body of the real route, so that every layer sends the same number of bytes. */
async function responseOf(web: Web, request: string): Promise<string> {
  await using server = await guardedRoute(web, '');
  const [, path = ''] = request.split(' ');
  const headers = { 'x-api-key': web.secretKey, 'content-type': 'application/json' };
  const body = request.slice(request.indexOf('\r\n\r\n') + 4);
  return (await fetch(`http://127.0.0.1:${server.port}${path}`, { method: 'POST', headers, body })).text();
}
