import { createHash } from 'node:crypto';
import Fastify from 'fastify';
import { pino } from 'pino';
import { type Accounts, createAccounts, type Key } from '../src/core/accounts/accounts.ts';
import { type AccountDirectory, createAccountDirectory } from '../src/core/accounts/directory.ts';
import { createKeyUses } from '../src/core/accounts/key-uses.ts';
import { parseKey } from '../src/core/accounts/keys.ts';
import { createSessions, type Sessions } from '../src/core/accounts/sessions.ts';
import type { NodeConnections } from '../src/core/connection/connections.ts';
import type { Database } from '../src/core/db/database.ts';
import { createFees, type Fees } from '../src/core/fees/fees.ts';
import { createIdempotency } from '../src/core/idempotency/idempotency.ts';
import { systemClock } from '../src/core/kernel/clock.ts';
import { createLedger, type Ledger } from '../src/core/ledger/ledger.ts';
import { createWallets, type Wallet, type Wallets } from '../src/core/wallets/wallets.ts';
import { createObjects, type Objects } from '../src/features/transactions/objects.ts';
import type { App } from '../src/http/app-type.ts';
import { type Access, createAccess } from '../src/http/auth/access.ts';
import { createIdempotentHandler, type IdempotentHandler } from '../src/http/idempotent.ts';
import { createServer } from '../src/http/server.ts';
import { fundWallets } from './filling.ts';
import type { LoadResult } from './load.ts';
import { load } from './load-worker.ts';
import type { Run } from './run.ts';
import type { Side } from './sides.ts';

const WALLETS = 1000;

/** The dependencies of routes, with an account that has a thousand funded wallets, and the account's key. */
export interface Web {
  readonly secretKey: string;
  readonly funded: readonly Wallet[];
  readonly access: Access;
  readonly runIdempotent: IdempotentHandler;
  readonly wallets: Wallets;
  readonly ledger: Ledger;
  readonly fees: Fees;
  readonly database: Database;
  readonly objects: Objects;
  readonly connections: Pick<NodeConnections, 'spendableMsat' | 'receivableMsat'>;
}

export async function webOn(database: Database): Promise<Web> {
  const accounts = createAccounts(database, systemClock);
  const wallets = createWallets({ database, accounts, clock: systemClock, isNodeAvailable: async () => true });
  const keys = await accounts.bootstrap(undefined, async () => {});
  if (!keys) throw new Error('the benchmark needs an empty database');
  const made = await Promise.all(Array.from({ length: WALLETS }, () => wallets.create(keys.accountId, '')));
  await fundWallets(database);
  const ledger = createLedger(database, systemClock);
  return {
    connections: { spendableMsat: () => undefined, receivableMsat: () => undefined },
    secretKey: keys.secretKey,
    funded: made.map(({ wallet }) => wallet),
    access: createAccess({
      accounts,
      keyUses: createKeyUses(database, systemClock),
      wallets,
      directory: createAccountDirectory({ database, ledger, clock: systemClock }),
      sessions: createSessions(database, systemClock),
    }),
    runIdempotent: createIdempotentHandler({ idempotency: createIdempotency(database, systemClock) }),
    wallets,
    ledger,
    fees: createFees({ database, clock: systemClock }),
    database,
    objects: createObjects({ clock: systemClock }),
  };
}

/** Returns the same dependencies with key and wallets in memory, to measure routes without database reads. */
export function inMemory(web: Web): Web {
  const secret = parseKey(web.secretKey);
  const accountId = web.funded[0]?.accountId ?? '';
  const keys = new Map<string, Key>([
    [
      secret?.hash ?? '',
      { id: 'key_bench', kind: 'secret_api', accountId, walletId: undefined, lineageId: 'key_0', expiresAt: undefined, limits: undefined },
    ],
  ]);
  const byId = new Map(web.funded.map((wallet) => [wallet.id, wallet]));
  const wallets = {
    async resolve(id: string) {
      const wallet = byId.get(id);
      return wallet && { wallet, key: undefined };
    },
  } as Wallets;
  const directory = { isOperator: async () => true } as unknown as AccountDirectory;
  const keyUses = createKeyUses(web.database, systemClock);
  const accounts = { find: async (text: string) => keys.get(parseKey(text)?.hash ?? '') } as Accounts;
  const sessions = { find: async () => undefined } as unknown as Sessions;
  return {
    ...web,
    access: createAccess({ accounts, keyUses, wallets, directory, sessions }),
    wallets,
  };
}

/** A listening server. Disposal closes it. */
export interface Serving extends AsyncDisposable {
  readonly port: number;
}

/** Starts the service's server with the given routes. */
export function serve(register: (app: App) => void, log = pino({ level: 'silent' })): Promise<Serving> {
  return listening(createServer(log, register));
}

interface Listening {
  listen(options: { host: string; port: number }): Promise<string>;
  close(): Promise<unknown>;
}

export async function listening(app: Listening): Promise<Serving> {
  const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
  return { port, [Symbol.asyncDispose]: async () => void (await app.close()) };
}

/** Sends a request that {@link getRequest} or {@link postRequest} made. @returns the body of the response. */
export async function answerTo(server: Serving, request: string): Promise<unknown> {
  const [head = '', body = ''] = request.split('\r\n\r\n');
  const [, method = '', path = ''] = /^(\S+) (\S+)/.exec(head) ?? [];
  const key = /x-api-key: (\S+)/.exec(head)?.[1] ?? '';
  const headers = { 'x-api-key': key, ...(body !== '' && { 'content-type': 'application/json' }) };
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method, headers, ...(body !== '' && { body }) });
  return response.json();
}

/** Starts a server without a database: it finds the key in memory, validates the body, and returns a constant answer. */
export function bareServer(
  { secretKey, body, response }: { secretKey: string; body?: object; response: Readonly<Record<number, object>> },
  answer: unknown,
): Promise<Serving> {
  const digest = (text: string) => createHash('sha256').update(text).digest('hex');
  const keys = new Map([[digest(secretKey), 'acc_bench']]);
  const app = Fastify({ logger: false, exposeHeadRoutes: false, ajv: { customOptions: { keywords: ['unit'] } } });
  const url = '/v1/*';
  const method = body ? 'POST' : 'GET';
  const schema = { response, ...(body && { body }) };
  const code = Number(Object.keys(response)[0]);
  app.route({
    method,
    url,
    schema,
    handler: async (request, reply) => {
      if (!keys.has(digest(String(request.headers['x-api-key'])))) throw new Error('unknown key');
      return reply.code(code).send(answer);
    },
  });
  return listening(app);
}

/** Returns a side that measures a server under HTTP load. */
export function loaded(
  run: Run,
  { name, server, requests }: { name: string; server: Serving; requests: readonly string[] },
  connections: number,
  figure: (result: LoadResult) => number = ({ perSecond }) => perSecond,
): Side {
  const order = { port: server.port, requests, connections, seconds: run.sizes.seconds };
  return { name, round: async () => figure(await load(order)) };
}

export function getRequest(path: string, key: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: bench\r\nx-api-key: ${key}\r\n\r\n`;
}

export function postRequest(path: string, key: string, body: object, more = ''): string {
  const text = JSON.stringify(body);
  const head = `host: bench\r\nx-api-key: ${key}\r\n${more}content-type: application/json\r\ncontent-length: ${text.length}`;
  return `POST ${path} HTTP/1.1\r\n${head}\r\n\r\n${text}`;
}
