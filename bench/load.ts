import { connect } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * A load generator with as little of its own work as possible: raw keep-alive connections, each with one request under way. Runs in a
 * worker thread, so that it does not share an event loop with what it measures.
 */

export interface LoadOrder {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** Whole HTTP requests; each connection takes its turn through them. */
  readonly requests: readonly string[];
}

export interface LoadResult {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers whose status was not 2xx. */
  readonly refused: number;
}

const order = workerData as LoadOrder;

async function run(): Promise<LoadResult> {
  const latenciesMs: number[] = [];
  const counts = { refused: 0 };
  const start = performance.now();
  const end = start + order.seconds * 1000;
  await Promise.all(Array.from({ length: order.connections }, (_, index) => oneConnection(index, end, latenciesMs, counts)));
  const elapsed = (performance.now() - start) / 1000;
  const sorted = Float64Array.from(latenciesMs).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { perSecond: latenciesMs.length / elapsed, p50Ms: at(0.5), p99Ms: at(0.99), refused: counts.refused };
}

function oneConnection(first: number, end: number, latenciesMs: number[], counts: { refused: number }): Promise<void> {
  const requests = order.requests.map((text) => Buffer.from(text));
  return new Promise((resolve, reject) => {
    const socket = connect(order.port, '127.0.0.1');
    socket.setNoDelay(true);
    let turn = first;
    let sentAt = 0;
    let answer = '';
    const send = () => {
      sentAt = performance.now();
      socket.write(requests[turn++ % requests.length] as Buffer);
    };
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      const head = answer.indexOf('\r\n\r\n');
      if (head === -1) return;
      const length = Number(/content-length: (\d+)/i.exec(answer)?.[1] ?? 0);
      if (answer.length < head + 4 + length) return;
      if (answer[9] !== '2') counts.refused += 1;
      answer = '';
      const now = performance.now();
      latenciesMs.push(now - sentAt);
      if (now < end) return send();
      socket.end();
      resolve();
    });
  });
}

parentPort?.postMessage(await run());
