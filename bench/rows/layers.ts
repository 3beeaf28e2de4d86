import { openSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { devNull } from 'node:os';
import Fastify from 'fastify';
import { pino } from 'pino';
import { Type } from 'typebox';
import type { Dialect } from '../../src/db/database.ts';
import { KeyParams } from '../../src/http/fields.ts';
import { compare } from '../compare.ts';
import { COUNTED } from '../counted.ts';
import type { Figure, Row } from '../row.ts';
import type { Run } from '../run.ts';
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

/** Bodies, request ids, headers and hooks of the service, around a route that does nothing. */
const ownServer: Step = (_web, answer) =>
  serve((app) => app.post('/v1/wallet/:key/transfer', async (_request, reply) => reply.code(201).type('application/json').send(answer)));

const TRANSFER = Type.Object(
  { dest_wallet_id: Type.String(), num_satoshis: Type.Integer({ minimum: 1 }) },
  { additionalProperties: false },
);

/** The server with validation, and a canned answer. */
const validating: Step = (_web, answer) =>
  serve((app) =>
    app.post('/v1/wallet/:key/transfer', { schema: { params: KeyParams, body: TRANSFER } }, async (_request, reply) =>
      reply.code(201).type('application/json').send(answer),
    ),
  );

/** The same for those who may: credential read, hashed and found in memory, wallet found, permission looked up. */
const authenticating: Step = (web, answer) => {
  const { access } = inMemory(web);
  return serve((app) =>
    app.post('/v1/wallet/:key/transfer', { schema: { params: KeyParams, body: TRANSFER } }, async (request, reply) => {
      await access.authorizeWallet(request, 'wallet_transfer');
      return reply.code(201).type('application/json').send(answer);
    }),
  );
};

/** Validation, authentication from memory, the rendering of objects and their serialization. */
const routeInMemory: Step = (web) => serve(withoutLedger(inMemory(web)));

/** Everything but the ledger. */
const guardedRoute: Step = (web) => serve(withoutLedger(web));

const loggingRoute: Step = (web) =>
  serve(withoutLedger(web), pino({ level: 'info', base: null }, pino.destination(openSync(devNull, 'w'))));

/** What each layer of a POST transfer leaves of the speed of the one below it. */
export function layerRows(): Row[] {
  const layer = (name: string, upper: [string, Step], lower: [string, Step], meaning: string): Row => ({
    name: `layer: ${name}`,
    meaning,
    unit: 'requests/s',
    measure: (run) => climb(run, upper, lower),
  });
  const route = ['whole route without a ledger', guardedRoute] as [string, Step];
  return [
    layer('Fastify', ['Fastify', bareFastify], ['node:http', bareHttp], 'what Fastify leaves of node:http'),
    layer('server', ['Satchel’s server', ownServer], ['Fastify', bareFastify], 'what bodies, ids, headers and hooks leave of Fastify'),
    layer(
      'route',
      ['route', routeInMemory],
      ['Satchel’s server', ownServer],
      'what validation, authentication, rendering and serialization leave of the server',
    ),
    layer(
      'authentication',
      ['authentication', authenticating],
      ['validation', validating],
      'what authentication leaves of a validated request',
    ),
    layer(
      'serialization',
      ['route', routeInMemory],
      ['canned answer', authenticating],
      'what rendering the answer and serializing it leave of a canned one',
    ),
    idempotencyRow('sqlite'),
    idempotencyRow('postgres'),
    layer(
      'keys and wallets',
      route,
      ['in memory', routeInMemory],
      'what asking the database for keys and wallets, at most once a second each, leaves of the route',
    ),
    {
      ...layer('logging', ['default logging', loggingRoute], route, 'what logging leaves of the route'),
      target: { goal: 0.95, floor: 0.85 },
    },
  ];
}

/** The whole route with its ledger: each request under a key of its own, which costs a read before and a row in the posting. */
function idempotencyRow(dialect: Dialect): Row {
  return {
    name: `layer: ${dialect === 'sqlite' ? 'SQLite' : 'PostgreSQL'} idempotency`,
    meaning: 'what a new Idempotency-Key in each request leaves of durable transfers',
    unit: 'requests/s',
    async measure(run) {
      await using temporary = await run.database(dialect);
      const web = await webOn(temporary.database);
      await using server = await serve(withLedger(web));
      // Rounds begin to count anew: the time makes their keys different.
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
  const answer = await answerOf(web, requests[0] ?? '');
  await using server = await step(web, answer);
  await using lower = await lowerStep(web, answer);
  return await compare(
    run,
    loaded(run, { name, server, requests }, CONNECTIONS),
    loaded(run, { name: lowerName, server: lower, requests }, CONNECTIONS),
  );
}

/** The answer of the real route, so that every layer sends as much. */
async function answerOf(web: Web, request: string): Promise<string> {
  await using server = await guardedRoute(web, '');
  const [, path = ''] = request.split(' ');
  const headers = { 'x-api-key': web.secretKey, 'content-type': 'application/json' };
  const body = request.slice(request.indexOf('\r\n\r\n') + 4);
  return (await fetch(`http://127.0.0.1:${server.port}${path}`, { method: 'POST', headers, body })).text();
}
