import type { Server, ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import { isLoopback, networkOf } from './addresses.ts';
import { OpenCounts } from './open-counts.ts';

/** How long a connection may take to say what it wants. */
const HEADERS_TIMEOUT_MS = 10_000;

/** For Node's server: connections that send nothing, or too slowly, do not stay. */
export function impatience(headersTimeout = HEADERS_TIMEOUT_MS): ServerOptions {
  // Node looks for those that are late only so often; its own half minute would be added to the timeout.
  return { headersTimeout, connectionsCheckingInterval: headersTimeout / 2 };
}

/** Whose connection it is; undefined when it is not counted. */
export type OwnerOf = (socket: Socket) => string | undefined;

/** Not counted is what comes from this machine: a proxy, which brings everybody's requests, or somebody who can do worse. */
export function ownerOf({ remoteAddress }: Pick<Socket, 'remoteAddress'>): string | undefined {
  return remoteAddress === undefined || isLoopback(remoteAddress) ? undefined : networkOf(remoteAddress);
}

/** Nobody may have more than `most` connections open; what is beyond is closed at once. Else one client could shut out everybody. */
export function shareConnections(server: Server, most: number, owner: OwnerOf = ownerOf): void {
  const open = new OpenCounts();
  server.on('connection', (socket) => {
    const name = owner(socket);
    if (name === undefined) return;
    if (open.of(name) >= most) socket.destroy();
    else open.add(name, socket);
  });
}
