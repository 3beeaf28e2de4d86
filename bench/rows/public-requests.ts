import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Dialect } from '../../src/core/db/database.ts';
import { COUNTED } from '../counted.ts';
import { type FakeService, startFakeService } from '../fake-service.ts';
import { load } from '../load-worker.ts';
import type { Figure, Row } from '../row.ts';
import { DATABASE_NAMES, DIALECTS, type Run } from '../run.ts';
import { figureOf } from '../sides.ts';
import { getRequest } from '../web.ts';

/** The default burst of one address, all of it at once, and half as many that are over the limit. */
const AT_ONCE = 500;
const REQUESTS = 750;
const MAX_ROUNDS = 3;
const LIMITED = { ADDRESS_RATE_LIMIT_PER_SECOND: '100', ADDRESS_RATE_LIMIT_BURST: String(AT_ONCE), TRUST_PROXY: '127.0.0.1' };
/** The largest image, description and memo that an account can give its links. */
const IMAGE = `/9j/${'A'.repeat(39_996)}`;
const MEMO = 'm'.repeat(639);
const PUBLIC_BODY = 4096;

/** What an account made that anyone can read. Paths without the host. */
interface Published {
  readonly statusToken: string;
  readonly invoicePage: string;
  readonly withdraw: string;
  readonly withdrawQr: string;
  readonly pay: string;
  readonly verify: string;
}

type PathOf = (published: Published) => string;

/** A page for browsers, which has a QR code. */
const html = (path: PathOf) => (published: Published) => get(path(published), 'accept: text/html\r\n');
const read =
  (path: PathOf, more = '') =>
  (published: Published) =>
    get(path(published), more);
const post = (path: string, body: string) => () =>
  send(`POST ${path}`, `content-type: application/json\r\ncontent-length: ${body.length}\r\n`, body);

const NAMES = Array.from({ length: 150 }, (_, i) => `"name${i}":${i}`).join();
const manyNames = (fields = '') => `{${fields}${NAMES}}`;
const longPassword = `{"email":"a@example.com","password":"${'p'.repeat(PUBLIC_BODY - 60)}"}`;

/** The worst request of each operation that needs no key, by `operationId`; then those of paths that the document leaves out. */
export const WORST_PUBLIC: Readonly<Record<string, (published: Published) => string>> = {
  getInvoiceStatus: read(({ statusToken }) => `/v1/invoice-status/${statusToken}`),
  processWithdrawLink: html(({ withdraw }) => withdraw),
  getWithdrawLinkQr: read(({ withdrawQr }) => withdrawQr),
  payLink: read(({ pay }) => `${pay}?amount=1000`),
  getPayLinkQr: read(({ pay }) => `${pay}/qr.png`),
  payAddress: read(() => '/.well-known/lnurlp/bench'),
  getNostrIdentifier: read(() => '/.well-known/nostr.json?name=bench'),
  verifyPayment: read(({ verify }) => verify),
  signAuthChallenge: read(() => `/v1/lnurl-auth/callback?tag=login&k1=${'0'.repeat(64)}&sig=${'30'.repeat(70)}&key=02${'1'.repeat(64)}`),
  logIn: post('/v1/session', manyNames('"email":"a@example.com","password":"p",')),
  setUpLogin: post('/v1/session/setup', manyNames('"token":"t","password":"long enough",')),
  getSetup: read(() => '/v1/session/setup'),
  beginSetupPasskey: post('/v1/session/setup/passkey/options', manyNames('"token":"t",')),
  setUpPasskey: post('/v1/session/setup/passkey', `{"token":"t","credential":${manyNames()}}`),
  logInWithRecoveryCode: post('/v1/session/recovery', manyNames('"email":"a@example.com","code":"c",')),
  beginWalletLogin: post('/v1/session/lnurl-auth', ''),
  completeWalletLogin: post('/v1/session/lnurl-auth/wlg_00000000000000000000', manyNames('"token":"t",')),
  beginPasskeyLogin: post('/v1/session/passkey/options', ''),
  logInWithPasskey: post('/v1/session/passkey', `{"credential":${manyNames()}}`),
  getLastEpoch: read(() => '/v1/proof'),
  getEpoch: read(() => '/v1/proof/1'),
  listEpochs: read(() => '/v1/proofs?per-page=500'),
  getMetrics: read(() => '/metrics'),
  getHealth: read(() => '/healthz'),
  getVersion: read(() => '/v1/version'),
  getReadiness: read(() => '/readyz'),
  getOpenApi: read(() => '/openapi.json'),
  getOperatorOpenApi: read(() => '/openapi-operator.json'),
  getDocs: read(() => '/docs'),
  'the script of /docs': read(() => '/docs/scalar.js'),
  'the compressed script of /docs': read(() => '/docs/scalar.js', 'accept-encoding: gzip, br\r\n'),
  'the page of a pay link with an image': html(() => '/pay/bench'),
  'the form of a pay link': post('/pay/bench', '{"amount":"1","currency":"sats"}'),
  'the page of an invoice': html(({ invoicePage }) => invoicePage),
  'a log-in with a long password': post('/v1/session', longPassword),
  'an unknown key': read(() => '/v1/wallets', `x-api-key: sak_${COUNTED}${'0'.repeat(20)}\r\n`),
  'an unknown path with a body': post('/nothing', `{"a":[${'{},'.repeat(20_000)}{}]}`),
};

/** The operations of the API that need no key. */
export function publicOperations(): string[] {
  return ['openapi.json', 'openapi-operator.json'].flatMap((name) => {
    const { paths } = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', name), 'utf8')) as Document;
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    return operations.flatMap(({ operationId, security }) => (security?.length === 0 ? [operationId] : []));
  });
}

interface Document {
  readonly paths: Record<string, Record<string, { readonly operationId: string; readonly security?: readonly object[] }>>;
}

/** The longest time of a cheap request, while one address sends all requests that it may at once, the most expensive ones. */
export function publicRequestRows(): Row[] {
  return DIALECTS.map((dialect) => ({
    name: `${DATABASE_NAMES[dialect]} longest delay by public requests of one address`,
    meaning: `the slowest GET wallet, while one address sends ${REQUESTS} requests at once; of all public operations the worst`,
    unit: 'ms',
    target: { goal: 50, floor: 100 },
    measure: (run: Run) => worstDelay(run, dialect),
  }));
}

async function worstDelay(run: Run, dialect: Dialect): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for await (const figure of measureDelays(run, dialect, Object.keys(WORST_PUBLIC))) figures.push(figure);
  return figures.toSorted((a, b) => b.median - a.median).slice(0, 1);
}

/** Measures the requests with these names. */
export async function* measureDelays(run: Run, dialect: Dialect, names: readonly string[]): AsyncGenerator<Figure> {
  await using service = await startFakeService(run, dialect, undefined, LIMITED);
  const published = await publish(service);
  for (const [index, name] of names.entries()) {
    const request = WORST_PUBLIC[name]?.(published) ?? '';
    const slowest: number[] = [];
    // The first round is a warm-up.
    for (let round = 0; round <= Math.min(run.sizes.rounds, MAX_ROUNDS); round++) {
      run.progress(name);
      const ms = await slowestOther(service, request, `198.18.${index}.${round}`);
      if (round > 0) slowest.push(ms);
    }
    yield figureOf(name, slowest);
  }
}

/** Sends a request of an address as often as its limit allows, all at once. @returns the longest time of a request of another client */
async function slowestOther({ port, secretKey, wallets }: FakeService, request: string, address: string): Promise<number> {
  const requests = [request.replace('\r\n', `\r\nx-forwarded-for: ${address}\r\n`)];
  const cheap = [getRequest(`/v1/wallet/${wallets[1]}`, secretKey)];
  const others = load({ port, requests: cheap, connections: 1, seconds: 0.7 });
  // The worker threads need time to start.
  await new Promise((resolve) => setTimeout(resolve, 150));
  await load({ port, requests, connections: AT_ONCE, seconds: 1, total: REQUESTS, mayBeRefused: true });
  return (await others).maxMs;
}

/** Creates the links and invoices that the public operations read, as large as an account can make them. */
async function publish({ port, secretKey, wallets }: FakeService): Promise<Published> {
  const url = `http://127.0.0.1:${port}`;
  const call = async (path: string, body?: object) => {
    const headers = { 'x-api-key': secretKey, 'content-type': 'application/json' };
    const response = await fetch(url + path, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) });
    if (!response.ok) throw new Error(`${path} returned ${response.status}: ${await response.text()}`);
    return (await response.json()) as Record<string, string>;
  };
  const wallet = `/v1/wallet/${wallets[0]}`;
  const invoice = await call(`${wallet}/invoice`, { num_satoshis: 1, memo: MEMO });
  const withdraw = await call(`${wallet}/lnurl/withdraw`, { num_satoshis: 1, memo: MEMO });
  const link = { lnurlp_identifier: 'bench', lnurlp_image: IMAGE, lnurlp_short_desc: MEMO, lnurlp_long_desc: 'd'.repeat(2000) };
  const pay = pathOf((await call(`${wallet}/lnurlp`, link)).lnurl_decoded);
  const { verify } = await call(`${pay}?amount=1000`);
  const claim = pathOf(withdraw.url);
  return {
    statusToken: invoice.status_url?.split('/').at(-1) ?? '',
    invoicePage: pathOf(invoice.page_url),
    withdraw: claim,
    withdrawQr: claim.replace('/lnurl-process', '/lnurl-process/qr.png'),
    pay,
    verify: pathOf(verify),
  };
}

function pathOf(url = ''): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

function get(path: string, more = ''): string {
  return send(`GET ${path}`, more);
}

function send(line: string, more: string, body = ''): string {
  return `${line} HTTP/1.1\r\nhost: localhost:3000\r\n${more}\r\n${body}`;
}
