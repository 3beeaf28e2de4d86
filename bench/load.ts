import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { COUNTED } from './counted.ts';

/**
 * A load generator with minimal overhead: raw keep-alive connections with one request in flight each. It runs in a worker thread, so it
 * does not share an event loop with the measured server.
 */

export interface LoadOrder {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** Complete HTTP requests. Each connection cycles through them. {@link COUNTED} is replaced by a different number in every request. */
  readonly requests: readonly string[];
  /** The number of requests to send, in order, each on the next free connection. The load ends after the last one. */
  readonly total?: number;
  /** The number of requests per second; absent: as many as the server answers. A late request is sent at once. */
  readonly requestsPerSecond?: number;
  /** Permits responses with a status other than 2xx. */
  readonly mayBeRefused?: boolean;
}

export interface LoadResult {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Responses with a status other than 2xx. */
  readonly refused: number;
  /** The event loop utilization of the generator, from 0 to 1. Near 1, the generator limits the result. */
  readonly busy: number;
}

/** With this many connections the server is always busy, and half a millisecond more latency does not change the result. */
const MANY = 64;

const order = workerData as LoadOrder;
const requests = order.requests.map((text) => ({ bytes: Buffer.from(text), countAt: text.indexOf(COUNTED) }));
let sent = 0;
let taken = 0;
const latenciesMs: number[] = [];
let refused = 0;

async function run(): Promise<LoadResult> {
  const sockets = await Promise.all(Array.from({ length: order.connections }, connected));
  const stop = order.connections >= MANY ? pollSockets() : () => {};
  const before = performance.eventLoopUtilization();
  const start = performance.now();
  const end = start + order.seconds * 1000;
  const due = schedule(start);
  // The connections begin at different places of the list. Otherwise all of them would use the same wallets at the same time.
  const firstOf = (index: number) => Math.floor((index * requests.length) / sockets.length);
  await Promise.all(sockets.map((socket, index) => runConnection(socket, firstOf(index), end, due)));
  stop();
  const elapsed = (performance.now() - start) / 1000;
  const sorted = Float64Array.from(latenciesMs).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const { utilization } = performance.eventLoopUtilization(before);
  return { perSecond: latenciesMs.length / elapsed, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1), refused, busy: utilization };
}

async function connected(): Promise<Socket> {
  const socket = connect({ port: order.port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  return socket;
}

/**
 * Polls the sockets every half a millisecond, which batches responses as a network does. Otherwise each response wakes this thread. On the
 * loopback interface the server pays for that wake-up: up to 40 % of its time, unless responses come in bursts, as after a shared commit.
 */
function pollSockets(): () => void {
  const neverNotified = new Int32Array(new SharedArrayBuffer(4));
  let over = false;
  const sleep = () => {
    Atomics.wait(neverNotified, 0, 0, 0.5);
    if (!over) setImmediate(sleep);
  };
  sleep();
  return () => {
    over = true;
  };
}

/** Returns a function that takes the next place in the schedule, and returns its time; 0 without a schedule. */
function schedule(start: number): () => number {
  const { requestsPerSecond } = order;
  if (requestsPerSecond === undefined) return () => 0;
  let places = 0;
  return () => start + (places++ * 1000) / requestsPerSecond;
}

/** Returns the next request; undefined when all requests of `total` are sent. */
function next(turn: number): Buffer | undefined {
  if (order.total !== undefined && taken >= order.total) return undefined;
  const request = requests[(order.total === undefined ? turn : taken++) % requests.length];
  if (!request) throw new Error('the load order has no requests');
  if (request.countAt < 0) return request.bytes;
  const counted = Buffer.from(request.bytes);
  counted.write(String(sent++).padStart(COUNTED.length, '0'), request.countAt);
  return counted;
}

/** Sends requests on one connection, one at a time, until `end`. If the server ends it after a response, the requests continue on another one. */
function runConnection(socket: Socket, first: number, end: number, due: () => number): Promise<void> {
  return new Promise((resolve, reject) => {
    let turn = first;
    let sentAt = 0;
    let response = '';
    const finish = () => {
      resolve();
      socket.destroy();
    };
    const send = () => {
      const request = next(turn++);
      if (!request) return finish();
      const dueAt = due();
      const waitMs = dueAt - performance.now();
      const write = () => {
        // A request that had to wait for a free connection was late for its caller, too.
        sentAt = dueAt > 0 && waitMs <= 0 ? dueAt : performance.now();
        socket.write(request);
      };
      // A timer is up to 1 ms late. Waiting in a loop would take a processor from the server.
      if (waitMs > 0) setTimeout(write, waitMs);
      else write();
    };
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed a connection')));
    socket.on('data', (chunk: Buffer) => {
      response += chunk.toString('latin1');
      const head = response.indexOf('\r\n\r\n');
      if (head === -1) return;
      const headers = response.slice(0, head);
      const length = Number(/content-length: (\d+)/i.exec(headers)?.[1] ?? 0);
      if (response.length < head + 4 + length) return;
      if (/transfer-encoding: chunked/i.test(headers) && !response.endsWith('\r\n0\r\n\r\n')) return;
      if (response[9] !== '2') refused += 1;
      response = '';
      const now = performance.now();
      latenciesMs.push(now - sentAt);
      if (now >= end) finish();
      else if (/^connection: close/im.test(headers)) {
        resolve(connected().then((another) => runConnection(another, turn, end, due)));
        socket.destroy();
      } else send();
    });
    send();
  });
}

parentPort?.postMessage(await run());
