import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/*
 * A balancer of TCP connections that may be wrong: it closes no connection, and knows nothing of its servers.
 *
 *   const balancer = await startBalancer(oldPort);
 *   balancer.freeze(oldPort); // From now on nothing reaches or leaves this server, and its connections stay open.
 *   balancer.leadTo(newPort); // New connections only.
 *   balancer.leadTo(newPort, standbyPort); // New connections in turn.
 */
export async function startBalancer(target: number) {
  let ports = [target];
  let turn = 0;
  const frozen = new Set<number>();
  const pairs = new Set<{ readonly near: Socket; readonly far: Socket; readonly to: number }>();
  const server = createServer((near) => {
    const to = ports[turn++ % ports.length] ?? target;
    const far = connect(to, '127.0.0.1');
    const pair = { near, far, to };
    pairs.add(pair);
    const close = () => {
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) socket.on('error', close).on('close', close);
    near.on('data', (data) => far.write(data));
    far.on('data', (data) => near.write(data));
    if (frozen.has(to)) for (const socket of [near, far]) socket.pause();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const each = (of: number, change: (socket: Socket) => void) => {
    for (const { near, far, to } of pairs) if (to === of) for (const socket of [near, far]) change(socket);
  };
  const dropAll = () => {
    for (const { near, far } of pairs) for (const socket of [near, far]) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    /** The number of open connections to a server. */
    connections: (to: number) => [...pairs].filter((pair) => pair.to === to).length,
    leadTo(...next: number[]): void {
      ports = next;
      turn = 0;
    },
    freeze(one: number): void {
      frozen.add(one);
      each(one, (socket) => socket.pause());
    },
    thaw(one: number): void {
      frozen.delete(one);
      each(one, (socket) => socket.resume());
    },
    dropAll,
    close(): void {
      server.close();
      dropAll();
    },
  };
}
