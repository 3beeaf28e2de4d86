import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type AccountKeys, createAccounts } from '../../src/accounts/accounts.ts';
import { newKeyText } from '../../src/accounts/keys.ts';
import { startSatchel } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import type { Dialect } from '../../src/db/database.ts';
import { MIGRATIONS, migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { freshUrls, silentLog } from './databases.ts';
import { freePort } from './free-port.ts';

/** Whatever JSON the service answers; a test says what it expects of it. */
export type Json = ReturnType<typeof JSON.parse>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
  readonly text: string;
}

export interface Asked {
  /** Sent as X-Api-Key. */
  readonly key?: string | undefined;
  readonly json?: unknown;
  readonly form?: string;
  readonly headers?: Record<string, string>;
}

/** A client of a running service. */
export interface Client {
  readonly url: string;
  readonly secretKey: string;
  readonly publicKey: string;
  ask(method: string, path: string, asked?: Asked): Promise<Answer>;
  /** Asks with the secret key and answers the body; throws unless the status is 2xx. */
  get(path: string): Promise<Json>;
  post(path: string, json?: unknown): Promise<Json>;
  /** The receiver of a playground's hold invoice decides, as soon as the payment has arrived: that we hold the money says nothing of that. */
  decideHold(paymentHash: string, action: 'settle' | 'cancel'): Promise<void>;
  /** A new wallet with its keys, funded over Lightning by an outside node. */
  wallet(numSatoshis?: number): Promise<TestWallet>;
}

/** The client of the first account, and one of an account that has nothing to do with it. */
export interface TwoClients extends Client {
  readonly neighbour: Client;
}

export interface TestWallet {
  readonly id: string;
  readonly admin: string;
  readonly invoice: string;
  readonly read: string;
  readonly lnurlWithdraw: string;
  readonly lnurlPay: string;
}

export function clientOf(url: string, secretKey: string, publicKey: string): Client {
  async function ask(method: string, path: string, { key, json, form, headers = {} }: Asked = {}): Promise<Answer> {
    const type =
      json !== undefined
        ? { 'content-type': 'application/json' }
        : form !== undefined
          ? { 'content-type': 'application/x-www-form-urlencoded' }
          : {};
    const body = json !== undefined ? (typeof json === 'string' ? json : JSON.stringify(json)) : form;
    const response = await fetch(url + path, {
      method,
      headers: { ...type, ...(key !== undefined && { 'x-api-key': key }), ...headers },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    const isJson = text !== '' && response.headers.get('content-type')?.startsWith('application/json');
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  }
  async function certain(method: string, path: string, json?: unknown): Promise<Json> {
    const answer = await ask(method, path, { key: secretKey, ...(json !== undefined && { json }) });
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
    return answer.body;
  }
  return {
    url,
    secretKey,
    publicKey,
    ask,
    get: (path) => certain('GET', path),
    post: (path, json = {}) => certain('POST', path, json),
    async decideHold(paymentHash, action) {
      const decide = (): Promise<Answer> => ask('POST', `/playground/hold/${paymentHash}`, { key: secretKey, json: { action } });
      await expect.poll(async () => (await decide()).status).toBe(200);
    },
    async wallet(numSatoshis = 0) {
      const made = await certain('POST', '/v1/wallet', { user_label: 'test' });
      if (numSatoshis > 0) await certain('POST', '/playground/fund', { wallet_id: made.id, num_satoshis: numSatoshis });
      const key = (name: string): string => made.access_keys[name][0];
      return {
        id: made.id,
        admin: key('Wallet Admin'),
        invoice: key('Wallet Invoice'),
        read: key('Wallet Read'),
        lnurlWithdraw: key('Wallet LNURL Withdraw'),
        lnurlPay: key('Wallet LNURL Pay'),
      };
    },
  };
}

/** Runs a suite against the whole service with its real playground, on both databases. */
export function onRunningService(
  name: string,
  suite: (client: TwoClients, dialect: Dialect) => void,
  settings: Record<string, string> = {},
): void {
  for (const dialect of ['sqlite', 'postgres'] as const) {
    describe(`${name} (${dialect})`, () => {
      const urls = freshUrls(dialect);
      const dataDir = mkdtempSync(join(tmpdir(), 'satchel-service-'));
      const BOOTSTRAP_SECRET_KEY = newKeyText('secret_api');
      const running: { client?: TwoClients; close?: () => Promise<void> } = {};
      beforeAll(async () => {
        const port = String(await freePort());
        const DATABASE_URL = await urls();
        const neighbour = await addAccount(DATABASE_URL);
        const config = readConfig({ DATA_DIR: dataDir, DATABASE_URL, PORT: port, LOG_LEVEL: 'error', BOOTSTRAP_SECRET_KEY, ...settings });
        const satchel = await startSatchel(config);
        running.close = satchel.close;
        await satchel.server.listen({ host: '127.0.0.1', port: config.port });
        if (!satchel.newKeys) throw new Error('a fresh service makes its first keys');
        const url = `http://127.0.0.1:${port}`;
        running.client = {
          ...clientOf(url, satchel.newKeys.secretKey, satchel.newKeys.publicKey),
          neighbour: clientOf(url, neighbour.secretKey, neighbour.publicKey),
        };
      });
      afterAll(async () => {
        await running.close?.();
        rmSync(dataDir, { recursive: true, force: true });
      });
      // The suite is written against a client that exists once beforeAll has run.
      const client = new Proxy({} as TwoClients, { get: (_, property) => Reflect.get(running.client ?? {}, property) });
      suite(client, dialect);
    });
  }
}

/** An account in a database that no service has open. */
async function addAccount(databaseUrl: string): Promise<AccountKeys> {
  const database = await openDatabase(databaseUrl, { log: silentLog });
  try {
    await migrate(database, MIGRATIONS);
    const keys = await createAccounts(database, systemClock).bootstrap(newKeyText('secret_api'), async () => undefined);
    if (!keys) throw new Error('a fresh database has no account yet');
    return keys;
  } finally {
    await database.close();
  }
}
