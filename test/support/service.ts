import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { startSatchel } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import type { Dialect } from '../../src/db/database.ts';
import { freshUrls } from './databases.ts';
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
  /** A new wallet with its keys, funded over Lightning by an outside node. */
  wallet(numSatoshis?: number): Promise<TestWallet>;
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
    return { status: response.status, headers: response.headers, text, body: text === '' ? undefined : JSON.parse(text) };
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
  suite: (client: Client, dialect: Dialect) => void,
  settings: Record<string, string> = {},
): void {
  for (const dialect of ['sqlite', 'postgres'] as const) {
    describe(`${name} (${dialect})`, () => {
      const urls = freshUrls(dialect);
      const dataDir = mkdtempSync(join(tmpdir(), 'satchel-service-'));
      const running: { client?: Client; close?: () => Promise<void> } = {};
      beforeAll(async () => {
        const port = String(await freePort());
        const config = readConfig({ DATA_DIR: dataDir, DATABASE_URL: await urls(), PORT: port, LOG_LEVEL: 'error', ...settings });
        const satchel = await startSatchel(config);
        running.close = satchel.close;
        await satchel.server.listen({ host: '127.0.0.1', port: config.port });
        if (!satchel.newKeys) throw new Error('a fresh service makes its first keys');
        running.client = clientOf(config.publicUrl, satchel.newKeys.secretKey, satchel.newKeys.publicKey);
      });
      afterAll(async () => {
        await running.close?.();
        rmSync(dataDir, { recursive: true, force: true });
      });
      // The suite is written against a client that exists once beforeAll has run.
      const client = new Proxy({} as Client, { get: (_, property) => Reflect.get(running.client ?? {}, property) });
      suite(client, dialect);
    });
  }
}
