import { once } from 'node:events';
import { Agent, type ClientRequest, createServer, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Dialect } from '../../src/core/db/database.ts';
import { load } from '../load-worker.ts';
import type { Figure, Row } from '../row.ts';
import { DATABASE_NAMES, DIALECTS, type Run } from '../run.ts';
import { residentMb, type ServiceProcess, startService } from '../service-process.ts';
import { compare, figureOf, type Side } from '../sides.ts';
import { transferRequests } from '../transfer-route.ts';
import { type Web, webOn } from '../web.ts';

const CONNECTIONS = 64;
const LISTENERS = 1000;
/** Each transfer is two events. */
const TRANSFERS_PER_SECOND = 500;
const STREAM_SECONDS = 10;

/** Webhooks and live streams, on the service as a process with the fake node. */
export function eventRows(): Row[] {
  return [
    ...DIALECTS.map(
      (dialect): Row => ({
        name: `${DATABASE_NAMES[dialect]} transfers with a webhook, 64 connections`,
        meaning: 'speed with one webhook for all events ÷ speed without',
        unit: 'transfers/s',
        target: { goal: 0.95, floor: 0.9 },
        measure: (run) => withAndWithoutWebhook(run, dialect),
      }),
    ),
    ...DIALECTS.flatMap((dialect) =>
      [0.5, 0.99].map(
        (share): Row => ({
          name: `${DATABASE_NAMES[dialect]} live streams, ${share === 0.5 ? 'median' : 'p99'} delay`,
          meaning: '1,000 streams, 1,000 events per second: time from the request of a transfer to its event at the listener',
          unit: 'ms',
          measure: (run) => streamed(run, dialect, share),
        }),
      ),
    ),
    { name: 'memory of 1,000 live streams', meaning: 'resident memory that they add to the service', unit: 'MB', measure: memoryOfStreams },
  ];
}

/** A running service with a thousand funded wallets. */
interface Filled extends AsyncDisposable {
  readonly web: Web;
  readonly service: ServiceProcess;
}

async function filledService(run: Run, dialect: Dialect, settings: Record<string, string> = {}): Promise<Filled> {
  const temporary = await run.database(dialect);
  const web = await webOn(temporary.database);
  await temporary.database.close();
  const own = { DATA_DIR: join(run.folder(), 'service'), DATABASE_URL: temporary.url };
  // One key may have a tenth of MAX_REQUESTS_AT_ONCE streams.
  const service = await startService({ ...own, RATE_LIMIT_PER_SECOND: '0', MAX_REQUESTS_AT_ONCE: String(20 * LISTENERS), ...settings });
  const dispose = async () => {
    await service[Symbol.asyncDispose]();
    await temporary[Symbol.asyncDispose]();
  };
  return { web, service, [Symbol.asyncDispose]: dispose };
}

/** While one side is measured, the process of the other is stopped: it would go on with deliveries that wait. */
async function withAndWithoutWebhook(run: Run, dialect: Dialect): Promise<readonly Figure[]> {
  await using receiver = await startReceiver();
  await using hooked = await filledService(run, dialect, { OUTBOUND_ALLOW: `127.0.0.1:${receiver.port}` });
  await using plain = await filledService(run, dialect);
  const body = JSON.stringify({ url: `http://127.0.0.1:${receiver.port}/` });
  const headers = { 'x-api-key': hooked.web.secretKey, 'content-type': 'application/json' };
  const created = await fetch(`${hooked.service.url}/v1/webhooks`, { method: 'POST', headers, body });
  if (created.status !== 201) throw new Error(`the webhook was not created: ${await created.text()}`);
  const side = (name: string, { web, service }: Filled, other: Filled): Side => ({
    name,
    async round() {
      process.kill(other.service.pid, 'SIGSTOP');
      try {
        const order = { port: service.port, requests: transferRequests(web), connections: CONNECTIONS };
        // The service lowers the rate of its deliveries within a second.
        await load({ ...order, seconds: 1 });
        return (await load({ ...order, seconds: 3 * run.sizes.seconds })).perSecond;
      } finally {
        process.kill(other.service.pid, 'SIGCONT');
      }
    },
  });
  const figures = await compare(run, side('with', hooked, plain), side('without', plain, hooked));
  if (receiver.count() === 0) throw new Error('the webhook received nothing');
  return figures;
}

async function startReceiver() {
  let received = 0;
  const server = createServer((request, response) => {
    received += 1;
    request.resume().on('end', () => response.end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, count: () => received, [Symbol.asyncDispose]: async () => void server.close() };
}

/** A live stream of each wallet. `onEvent` gets the `passThru.n` of each transfer. */
async function openStreams({ web, service }: Filled, onEvent: (n: number) => void): Promise<AsyncDisposable> {
  const streams = await Promise.all(
    web.funded.slice(0, LISTENERS).map(async ({ id }) => {
      const headers = { 'x-api-key': web.secretKey, accept: 'text/event-stream' };
      const request = sendRequest(`${service.url}/v1/wallet/${id}/events`, { headers, agent: false }).end();
      const [response] = await once(request, 'response');
      if (response.statusCode !== 200) throw new Error(`a stream was answered with ${response.statusCode}`);
      response.setEncoding('utf8').on('data', (text: string) => {
        for (const [, n] of text.matchAll(/"passThru":\{"n":(\d+)/g)) onEvent(Number(n));
      });
      response.on('error', () => undefined);
      return request;
    }),
  );
  return { [Symbol.asyncDispose]: async () => closeAll(streams) };
}

function closeAll(streams: readonly ClientRequest[]): void {
  for (const stream of streams) stream.destroy();
}

async function streamed(run: Run, dialect: Dialect, share: number): Promise<readonly Figure[]> {
  await using filled = await filledService(run, dialect);
  const sentAt: number[] = [];
  const delaysMs: number[] = [];
  await using _streams = await openStreams(filled, (n) => delaysMs.push(performance.now() - (sentAt[n] ?? 0)));
  await transferSteadily(filled, sentAt);
  for (let waited = 0; delaysMs.length < 2 * sentAt.length && waited < 50; waited++) await delay(100);
  if (delaysMs.length !== 2 * sentAt.length) throw new Error(`${delaysMs.length} of ${2 * sentAt.length} events arrived`);
  delaysMs.sort((a, b) => a - b);
  return [figureOf('delay', [delaysMs[Math.floor(delaysMs.length * share)] ?? Number.NaN])];
}

/** Sends transfers at a steady rate, without waiting for responses before the next. */
async function transferSteadily({ web, service }: Filled, sentAt: number[]): Promise<void> {
  const sending: Promise<unknown>[] = [];
  const start = performance.now();
  for (let n = 0; n < TRANSFERS_PER_SECOND * STREAM_SECONDS; n++) {
    const dueInMs = start + (n * 1000) / TRANSFERS_PER_SECOND - performance.now();
    if (dueInMs > 1) await delay(dueInMs);
    const from = web.funded[n % web.funded.length]?.id;
    const to = web.funded[(n * 7 + 1) % web.funded.length]?.id;
    sentAt[n] = performance.now();
    const sent = post(`${service.url}/v1/wallet/${from}/transfer`, web.secretKey, { dest_wallet_id: to, num_satoshis: 1, passThru: { n } });
    // A failure is thrown when all are sent.
    sent.catch(() => undefined);
    sending.push(sent);
  }
  await Promise.all(sending);
}

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

async function post(url: string, key: string, body: object): Promise<void> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const [response] = await once(sendRequest(url, { method: 'POST', headers, agent }).end(JSON.stringify(body)), 'response');
  if (response.statusCode !== 201) throw new Error(`a transfer was answered with ${response.statusCode}`);
  await once(response.resume(), 'end');
}

async function memoryOfStreams(run: Run): Promise<readonly Figure[]> {
  await using filled = await filledService(run, 'sqlite');
  const before = await residentMb(filled.service.pid);
  await using _streams = await openStreams(filled, () => undefined);
  await transferSteadily(filled, []);
  return [figureOf('added', [(await residentMb(filled.service.pid)) - before])];
}
