import { cpSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startSatchel } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import type { Dialect } from '../../src/core/db/database.ts';
import { type Msat, satToMsat } from '../../src/core/kernel/money.ts';
import { RegtestNetwork, regtestBinaries, WITHOUT_BINARIES } from '../../test/lightning/lnd/regtest.ts';
import { regtestControl } from '../../test/lightning/lnd/regtest-control.ts';
import type { RegtestLnd } from '../../test/lightning/lnd/regtest-lnd.ts';
import { type Figure, type Row, Skipped } from '../row.ts';
import { DATABASE_NAMES, DIALECTS, type Run } from '../run.ts';
import { compare, figureOf, perSecond, type Side } from '../sides.ts';
import { webOn } from '../web.ts';

const AMOUNT_MSAT: Msat = satToMsat(1000);
const IN_FLIGHT = 16;
const PAYMENTS_PER_ROUND = 128;
const SETTLEMENTS = 1000;
/** Settlements before the stop: LND proves a position only from the second one on. */
const SETTLEMENTS_BEFORE = 2;

/** The complete service on a real LND. Skipped without LND_BIN and BTCD_BIN. */
export function lndRows(): Row[] {
  return [
    {
      name: `LND payments, ${IN_FLIGHT} in flight`,
      meaning: 'speed of payments through the service ÷ of its LND, called directly',
      unit: 'payments/s',
      target: { goal: 0.9, floor: 0.7 },
      measure: (run) => onNetwork(run, (network) => payments(run, network)),
    },
    ...DIALECTS.map(
      (dialect): Row => ({
        name: `LND settlements after a stop, ${DATABASE_NAMES[dialect]}`,
        meaning: `speed of booking ${SETTLEMENTS} settlements that arrived while the service was stopped, including its start`,
        unit: 'settlements/s',
        target: { goal: 500, floor: 250 },
        measure: (run) => onNetwork(run, (network) => settlements(run, network, dialect)),
      }),
    ),
  ];
}

async function onNetwork(run: Run, measure: (network: RegtestNetwork) => Promise<readonly Figure[]>): Promise<readonly Figure[]> {
  const binaries = regtestBinaries();
  if (!binaries) throw new Skipped(WITHOUT_BINARIES);
  const network = await RegtestNetwork.start(binaries, join(run.folder(), 'network'));
  try {
    return await measure(network);
  } finally {
    await network.stop();
  }
}

async function payments(run: Run, network: RegtestNetwork): Promise<readonly Figure[]> {
  await using temporary = await run.database('sqlite');
  const { secretKey, funded } = await webOn(temporary.database);
  await temporary.database.close();
  await using service = await startService(run, network, temporary.url, secretKey);
  const path = `/v1/wallet/${funded[0]?.id}/withdraw`;
  return await compare(
    run,
    paymentSide('through the API', network, (payment_request) => service.post(path, { payment_request })),
    paymentSide('bare LND', network, (paymentRequest) => send(network.hub, paymentRequest)),
  );
}

function paymentSide(name: string, network: RegtestNetwork, pay: (paymentRequest: string) => Promise<unknown>): Side {
  const control = regtestControl(network);
  const order = { at: 'alice', amountMsat: AMOUNT_MSAT, memo: '', expirySeconds: 3600, hold: false } as const;
  return {
    name,
    async round() {
      const requests: string[] = [];
      await perSecond(PAYMENTS_PER_ROUND, IN_FLIGHT, async () => requests.push((await control.createInvoice(order)).paymentRequest));
      return perSecond(PAYMENTS_PER_ROUND, IN_FLIGHT, (index) => pay(requests[index] ?? ''));
    },
  };
}

/** Pays an invoice with LND itself. */
async function send(node: RegtestLnd, paymentRequest: string): Promise<void> {
  const body = { payment_request: paymentRequest, fee_limit_msat: '10000', timeout_seconds: 60 };
  let status = '';
  for await (const record of node.stream<{ status: string }>('POST', '/v2/router/send', body, AbortSignal.timeout(60_000))) {
    status = record.status;
    if (status === 'SUCCEEDED') return;
  }
  throw new Error(`a payment of LND ended with ${status}`);
}

/** The settlements arrive once. Each round books them in another copy of the database. */
async function settlements(run: Run, network: RegtestNetwork, dialect: Dialect): Promise<readonly Figure[]> {
  await using temporary = await run.database(dialect);
  const { secretKey, funded } = await webOn(temporary.database);
  await temporary.database.close();
  const path = `/v1/wallet/${funded[0]?.id}`;
  const before = await receiveWhileStopped(run, network, { url: temporary.url, secretKey, path });
  const after = before + SETTLEMENTS * AMOUNT_MSAT;
  const values: number[] = [];
  for (let round = 0; round < run.sizes.rounds; round++) {
    run.progress(`round ${round + 1} of ${run.sizes.rounds}`);
    await using copy = await copyOf(run, dialect, temporary.url, round);
    const start = performance.now();
    await using service = await startService(run, network, copy.url, secretKey);
    while ((await service.get(path)).balance_msat < after) await delay(5);
    values.push((SETTLEMENTS * 1000) / (performance.now() - start));
  }
  return [figureOf(DATABASE_NAMES[dialect], values)];
}

/** Creates invoices, stops the service, and pays them. @returns the balance before. */
async function receiveWhileStopped(
  run: Run,
  network: RegtestNetwork,
  { url, secretKey, path }: { url: string; secretKey: string; path: string },
): Promise<number> {
  const invoices: string[] = [];
  let balanceMsat = 0;
  {
    await using service = await startService(run, network, url, secretKey);
    const { balance_msat: initial } = await service.get(path);
    await perSecond(SETTLEMENTS_BEFORE + SETTLEMENTS, IN_FLIGHT, async () => {
      invoices.push((await service.post(`${path}/invoice`, { num_satoshis: AMOUNT_MSAT / 1000 })).payment_request);
    });
    for (const paymentRequest of invoices.splice(0, SETTLEMENTS_BEFORE)) await send(network.alice, paymentRequest);
    balanceMsat = initial + SETTLEMENTS_BEFORE * AMOUNT_MSAT;
    while ((await service.get(path)).balance_msat < balanceMsat) await delay(20);
  }
  run.progress(`paying ${SETTLEMENTS} invoices`);
  await perSecond(SETTLEMENTS, 4 * IN_FLIGHT, (index) => send(network.alice, invoices[index] ?? ''));
  return balanceMsat;
}

interface Copy extends AsyncDisposable {
  readonly url: string;
}

/** Copies a database that is closed. */
async function copyOf(run: Run, dialect: Dialect, url: string, round: number): Promise<Copy> {
  if (dialect === 'sqlite') {
    const folder = run.folder();
    cpSync(dirname(url.slice('sqlite:'.length)), folder, { recursive: true });
    return { url: `sqlite:${join(folder, 'satchel.db')}`, async [Symbol.asyncDispose]() {} };
  }
  const original = new URL(url).pathname.slice(1);
  const name = `${original}_${round}`;
  await run.onPostgres(`CREATE DATABASE ${name} TEMPLATE ${original}`);
  return { url: await run.postgres(name), [Symbol.asyncDispose]: () => run.onPostgres(`DROP DATABASE ${name} WITH (FORCE)`) };
}

interface Service extends AsyncDisposable {
  get(path: string): Promise<{ balance_msat: number }>;
  post(path: string, body: object): Promise<{ payment_request: string }>;
}

/** Starts the service on hub. */
async function startService(run: Run, network: RegtestNetwork, databaseUrl: string, secretKey: string): Promise<Service> {
  const own = { DATA_DIR: run.folder(), DATABASE_URL: databaseUrl, PORT: '0', LIGHTNING_URL: network.hub.url(), LOG_LEVEL: 'silent' };
  const unlimited = { RATE_LIMIT_PER_SECOND: '0', ADDRESS_RATE_LIMIT_PER_SECOND: '0', MAX_OPEN_INVOICES: '1000000' };
  const satchel = await startSatchel(readConfig({ ...own, ...unlimited, PROOF_INTERVAL_SECONDS: '0' }));
  const url = await satchel.server.listen({ host: '127.0.0.1', port: 0 });
  const headers = { 'x-api-key': secretKey, 'content-type': 'application/json' };
  async function request(method: string, path: string, body?: object) {
    const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    if (response.status >= 202) throw new Error(`${path} returned ${response.status}: ${await response.text()}`);
    return (await response.json()) as { balance_msat: number; payment_request: string };
  }
  return {
    get: (path) => request('GET', path),
    post: (path, body) => request('POST', path, body),
    [Symbol.asyncDispose]: () => satchel.close(),
  };
}
