import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Log } from '../../src/kernel/log.ts';
import { encodeFrame } from './frames.ts';
import { Session } from './session.ts';
import { BEAT_MS, type FromServer } from './shared-protocol.ts';
import { Supervisor } from './supervisor.ts';

export interface ServerOptions {
  /** Holds `playground.db`, which only one process may use at a time. */
  readonly dataDir: string;
  readonly host: string;
  /** 0 lets the system choose one. */
  readonly port: number;
  /** Whoever says it may do everything. */
  readonly secret: string;
  readonly log: Log;
  /** Shorter, and another worker, in tests. */
  readonly helloWaitMs?: number;
  readonly beatMs?: number;
  readonly worker?: URL;
}

export interface PlaygroundServer {
  readonly port: number;
  /** The public key of our node. */
  readonly hub: string;
  /** Finishes what was begun, says so to the clients, and ends. */
  close(): Promise<void>;
}

const HELLO_WAIT_MS = 5_000;
export const MAX_CONNECTIONS = 64;
/** Those above the limit are told so, but not in any number. */
const MAX_SOCKETS = 2 * MAX_CONNECTIONS;

/** Runs the playground of a directory for everybody who knows the secret. @throws when it cannot start, or the port cannot be had. */
export async function servePlayground(options: ServerOptions): Promise<PlaygroundServer> {
  const { dataDir, host, port, secret, log, helloWaitMs = HELLO_WAIT_MS, beatMs = BEAT_MS } = options;
  const supervisor = new Supervisor({ dataDir, log, worker: options.worker ?? new URL('./worker.ts', import.meta.url) });
  const { call } = supervisor;
  const sessions = new Set<Session>();
  let ready: FromServer = { type: 'ready', hub: '' };
  const tellAll = (message: FromServer): void => {
    const text = encodeFrame(message);
    for (const session of sessions) if (session.isKnown) session.send(text);
  };
  const server = createServer((socket) => {
    const session: Session = new Session(socket, {
      secret,
      call,
      beatMs,
      helloWaitMs,
      welcome: () => session.send(encodeFrame(ready)),
      closed: (reason) => {
        sessions.delete(session);
        if (session.isKnown) log.info({ reason, clients: sessions.size }, 'a client of the playground is gone');
      },
    });
    sessions.add(session);
    if (sessions.size > MAX_CONNECTIONS) session.reject(`the playground has ${MAX_CONNECTIONS} connections, and takes no more`);
  });
  server.maxConnections = MAX_SOCKETS;
  await supervisor.start({ news: tellAll, ready: () => tellAll(ready) });
  try {
    const { nodes } = await call('describe', null);
    ready = { type: 'ready', hub: nodes.find((node) => node.name === 'hub')?.pubkey as string };
    server.listen({ host, port });
    await once(server, 'listening');
  } catch (error) {
    await supervisor.close();
    throw error;
  }
  return {
    port: (server.address() as AddressInfo).port,
    hub: ready.hub,
    async close() {
      const closed = once(server, 'close');
      server.close();
      await supervisor.close();
      for (const session of sessions) session.end();
      await closed;
    },
  };
}
