import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

export interface CuttingProxy {
  readonly url: string;
  /** The number of connections that it has cut. */
  cuts(): number;
  close(): Promise<void>;
}

/**
 * Starts a proxy that cuts each connection after a number of response bytes, which depends only on the seed. In a stream it replaces the wait
 * before the next connection by a millisecond.
 */
export async function startCuttingProxy(target: string, seed: number, maxBytes: number): Promise<CuttingProxy> {
  const { port } = new URL(target);
  let state = seed;
  let cuts = 0;
  const open = new Set<() => void>();
  const nextBytes = () => {
    // Numerical Recipes' generator.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return 1 + (state % maxBytes);
  };
  const server = createServer((client) => {
    const upstream = connect(Number(port), '127.0.0.1');
    const end = () => {
      client.destroy();
      upstream.destroy();
      open.delete(end);
    };
    open.add(end);
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
    let left = nextBytes();
    client.pipe(upstream);
    upstream.on('data', (received) => {
      const data = Buffer.from(received.toString('latin1').replace('retry: 2000\n', 'retry: 0001\n'), 'latin1');
      if (data.length < left) {
        left -= data.length;
        client.write(data);
        return;
      }
      cuts += 1;
      client.write(data.subarray(0, left), end);
      upstream.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cuts: () => cuts,
    async close() {
      server.close();
      for (const end of [...open]) end();
      await once(server, 'close');
    },
  };
}
