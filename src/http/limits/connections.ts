import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { isLoopback, networkOf } from './addresses.ts';
import { OpenCounts } from './open-counts.ts';

/** Returns the name under which a connection is counted, or undefined for one that is not counted. */
export type ConnectionName = (socket: Socket) => string | undefined;

/** Connections from this machine are not counted: a reverse proxy has one for every client. */
export function remoteNetwork({ remoteAddress }: Pick<Socket, 'remoteAddress'>): string | undefined {
  return remoteAddress === undefined || isLoopback(remoteAddress) ? undefined : networkOf(remoteAddress);
}

/** Closes new connections of an address that has `max` open. Otherwise one client could use all connections of the server. */
export function limitConnectionsPerAddress(server: Server, max: number, nameOf: ConnectionName = remoteNetwork): void {
  const open = new OpenCounts();
  server.on('connection', (socket) => {
    const name = nameOf(socket);
    if (name === undefined) return;
    if (!open.add([{ name, max }], socket)) socket.destroy();
  });
}
