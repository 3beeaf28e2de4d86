import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { COUNTED } from './counted.ts';

/**
 * A load generator with as little of its own work as possible: raw keep-alive connections, each with one request under way. Runs in a
 * worker thread, so that it does not share an event loop with what it measures.
 */

export interface LoadOrder {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** Whole HTTP requests; each connection takes its turn through them. {@link COUNTED} becomes another number in every request. */
  readonly requests: readonly string[];
  /** So many requests are sent, in their order, by whichever connection is free; the load ends with the last. */
  readonly total?: number;
  /** Answers whose status is not 2xx are no failure of the load. */
  readonly mayBeRefused?: boolean;
}

export interface LoadResult {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Answers whose status was not 2xx. */
  readonly refused: number;
  /** The share of the time in which the generator itself was busy: near 1, it is what was measured. */
  readonly busy: number;
}

/** Connections from which on the server is busy all the time, and half a millisecond more in an answer does not matter. */
const MANY = 64;

const order = workerData as LoadOrder;
const requests = order.requests.map((text) => ({ bytes: Buffer.from(text), countAt: text.indexOf(COUNTED) }));
let sent = 0;
let taken = 0;
const latenciesMs: number[] = [];
let refused = 0;

async function run(): Promise<LoadResult> {
  const sockets = Array.from({ length: order.connections }, () => connect({ port: order.port, host: '127.0.0.1', noDelay: true }));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const stop = order.connections >= MANY ? lookNowAndThen() : () => {};
  const before = performance.eventLoopUtilization();
  const start = performance.now();
  const end = start + order.seconds * 1000;
  await Promise.all(sockets.map((socket, index) => converse(socket, index, end)));
  stop();
  const elapsed = (performance.now() - start) / 1000;
  const sorted = Float64Array.from(latenciesMs).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const { utilization } = performance.eventLoopUtilization(before);
  return { perSecond: latenciesMs.length / elapsed, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1), refused, busy: utilization };
}

/**
 * Looks at the sockets every half a millisecond, as they would come over a network. Otherwise each answer wakes this thread, which is
 * a cost of the loopback that the server pays: up to 40 % of its time, unless its answers come in bursts, as those of shared commits do.
 */
function lookNowAndThen(): () => void {
  const nobody = new Int32Array(new SharedArrayBuffer(4));
  let over = false;
  const sleep = () => {
    Atomics.wait(nobody, 0, 0, 0.5);
    if (!over) setImmediate(sleep);
  };
  sleep();
  return () => {
    over = true;
  };
}

/** @returns undefined when there is nothing left to send */
function next(turn: number): Buffer | undefined {
  if (order.total !== undefined && taken >= order.total) return undefined;
  const request = requests[(order.total === undefined ? turn : taken++) % requests.length];
  if (!request) throw new Error('there is nothing to ask');
  if (request.countAt < 0) return request.bytes;
  const counted = Buffer.from(request.bytes);
  counted.write(String(sent++).padStart(COUNTED.length, '0'), request.countAt);
  return counted;
}

/** One request after the other, until it is time to end. */
function converse(socket: Socket, first: number, end: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let turn = first;
    let sentAt = 0;
    let answer = '';
    const finish = () => {
      resolve();
      socket.destroy();
    };
    const send = () => {
      const request = next(turn++);
      if (!request) return finish();
      sentAt = performance.now();
      socket.write(request);
    };
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed a connection')));
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1');
      const head = answer.indexOf('\r\n\r\n');
      if (head === -1) return;
      const headers = answer.slice(0, head);
      const length = Number(/content-length: (\d+)/i.exec(headers)?.[1] ?? 0);
      if (answer.length < head + 4 + length) return;
      if (/transfer-encoding: chunked/i.test(headers) && !answer.endsWith('\r\n0\r\n\r\n')) return;
      if (answer[9] !== '2') refused += 1;
      answer = '';
      const now = performance.now();
      latenciesMs.push(now - sentAt);
      if (now < end) send();
      else finish();
    });
    send();
  });
}

parentPort?.postMessage(await run());
