import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that kernels assign to connections and to listeners on port 0, so that no other program takes one before it is used or
 * between two starts.
 */
const FIRST = 20_000;
const PAIRS = 6_000;

/**
 * Returns a TCP port on which nothing listens. No other process gets it from this function while this one runs: the port above it is
 * occupied until then.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + 2 * Math.floor(Math.random() * PAIRS);
    const reservation = await listen(port + 1);
    if (!reservation) continue;
    const probe = await listen(port);
    if (!probe) {
      reservation.close();
      continue;
    }
    reservation.unref();
    probe.close();
    await once(probe, 'close');
    return port;
  }
}

async function listen(port: number) {
  const server = createServer((socket) => socket.destroy()).listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return server;
  } catch {
    return undefined;
  }
}
