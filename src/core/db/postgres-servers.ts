import type { Socket } from 'node:net';
import type pg from 'pg';

/** How often the connections in use are checked for responses. */
const CHECK_MS = 1_000;

interface Reached {
  /** The time at which the server started, which tells servers apart. */
  readonly server: string;
  /** When the check of the connection began. */
  readonly since: number;
}

interface ServersOptions {
  /** Opens a connection, and passes it to `add`. */
  connect(): Promise<unknown>;
  /** Called when connections reach another server than before. */
  onChange(server: string): void;
}

/**
 * Ends the connections to a server that is no longer the primary. A frozen server neither responds nor closes its connections, and an old primary
 * may still respond, so statements would wait for their time limit, or fail, although a new connection reaches the right server. While a
 * connection in use gets no response, a new connection is opened every second. If it reaches another primary, those to the old one are ended.
 */
export class Servers {
  readonly #options: ServersOptions;
  readonly #connections = new Map<pg.Client, string>();
  /** The connections in use, with the bytes that they had received at the last check. */
  readonly #inUse = new Map<pg.Client, number | undefined>();
  readonly #timer: NodeJS.Timeout;
  #current: Reached | undefined;
  #isConnecting = false;

  constructor(options: ServersOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#check(), CHECK_MS).unref();
  }

  /** Watches the connections of a pool. */
  watch(pool: pg.Pool): void {
    pool.on('acquire', (client) => this.#inUse.set(client, undefined));
    pool.on('release', (error, client) => {
      this.#inUse.delete(client);
      // read_only_sql_transaction
      if ((error as { code?: string } | undefined)?.code === '25006') this.#leave(this.#connections.get(client));
    });
  }

  /** Adds a connection. Returns false if later connections have reached another server. */
  add(client: pg.Client, reached: Reached): boolean {
    const current = this.#current;
    const isChange = current !== undefined && current.server !== reached.server;
    if (isChange && current.since > reached.since) return false;
    this.#current = reached;
    this.#connections.set(client, reached.server);
    client.once('end', () => this.#connections.delete(client));
    if (isChange) {
      this.#options.onChange(reached.server);
      for (const server of new Set(this.#connections.values())) if (server !== reached.server) this.#leave(server);
    }
    return true;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #leave(server: string | undefined): void {
    for (const [client, its] of this.#connections) if (its === server) client.connection.stream.destroy();
  }

  #check(): void {
    let isSilent = false;
    for (const [client, before] of this.#inUse) {
      const received = (client.connection.stream as Socket).bytesRead;
      if (received === before) isSilent = true;
      this.#inUse.set(client, received);
    }
    if (!isSilent || this.#isConnecting) return;
    this.#isConnecting = true;
    const done = () => {
      this.#isConnecting = false;
    };
    this.#options.connect().then(done, done);
  }
}
