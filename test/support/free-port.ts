import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that kernels assign to connections and to listeners on port 0, so that no other program takes one before it is used or
 * between two starts.
 */
const FIRST = 20_000;
const COUNT = 1_500;
/** Concurrent test files take their ports from different ranges: one might otherwise take the port of a service that another restarts. */
const RANGE = Number(process.env.VITEST_POOL_ID ?? 0) % 8;

const given = new Set<number>();

/** Returns a TCP port on which nothing listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + RANGE * COUNT + Math.floor(Math.random() * COUNT);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, '127.0.0.1');
  try {
    await once(probe, 'listening');
  } catch {
    return false;
  }
  probe.close();
  await once(probe, 'close');
  return true;
}
