import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy on loopback that can go silent: connections stay open, and new ones are accepted, but no byte passes. */
export interface SilentProxy {
  readonly port: number;
  silence(): void;
  /** Passes everything on that has arrived meanwhile. */
  resume(): void;
  close(): Promise<void>;
}

export async function startSilentProxy(targetPort: number): Promise<SilentProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let isSilent = false;
  const join = ([client, upstream]: readonly [Socket, Socket]) => {
    client.pipe(upstream);
    upstream.pipe(client);
  };
  const server = createServer((client) => {
    const pair = [client, connect(targetPort, '127.0.0.1')] as const;
    const end = () => {
      pairs.delete(pair);
      for (const socket of pair) socket.destroy();
    };
    pairs.add(pair);
    for (const socket of pair) socket.on('error', end).on('close', end);
    if (!isSilent) join(pair);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    silence() {
      isSilent = true;
      for (const [client, upstream] of pairs) {
        client.unpipe(upstream).pause();
        upstream.unpipe(client).pause();
      }
    },
    resume() {
      isSilent = false;
      for (const pair of pairs) join(pair);
    },
    async close() {
      server.close();
      for (const [client, upstream] of pairs) for (const socket of [client, upstream]) socket.destroy();
      await once(server, 'close');
    },
  };
}
