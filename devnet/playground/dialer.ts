import { connect } from 'node:net';
import type { Log } from '../../src/kernel/log.ts';
import { NodeUnavailable } from '../../src/lightning/node.ts';
import { OutcomeUnknown, PlaygroundRefusal } from '../../src/lightning/test-network.ts';
import type { Carrier, Listener } from './carrier.ts';
import { Connection } from './connection.ts';
import { encodeFrame } from './frames.ts';
import { type Call, Link } from './link.ts';
import { ONLY_ASKS, type Request } from './protocol.ts';
import { type FromServer, MAX_ANSWER_BYTES, MAX_REQUEST_BYTES } from './shared-protocol.ts';
import { type PlaygroundAddress, publicPart } from './shared-url.ts';
import { Standby } from './standby.ts';

export interface DialerOptions extends PlaygroundAddress {
  readonly log: Log;
  readonly beatMs: number;
}

/** How long a call waits for a connection. */
const CONNECT_WAIT_MS = 2_000;
const FIRST_RETRY_MS = 50;
const MAX_RETRY_MS = 1_000;
/** For commands that only ask. */
const MAX_TRIES = 3;

/** Keeps one connection to a shared playground: whenever it breaks, it is made again, for ever. */
export class Dialer implements Carrier {
  readonly #options: DialerOptions;
  readonly #name: string;
  readonly #standby: Standby;
  readonly #closing = Promise.withResolvers<void>();
  #listener: Listener | undefined;
  #connection: Connection | undefined;
  #retry: NodeJS.Timeout | undefined;
  #failuresInARow = 0;
  #closed = false;
  /** The playground that was first met. */
  #hub: string | undefined;
  /** What was logged last: the same trouble again is not news. */
  #lastTrouble = '';

  constructor(options: DialerOptions) {
    this.#options = options;
    this.#name = publicPart(options);
    this.#standby = new Standby(CONNECT_WAIT_MS, `${this.#name} cannot be reached`);
  }

  start(listener: Listener): void {
    this.#listener = listener;
    this.#dial();
  }

  readonly call: Call = async (command, body) => {
    for (let tries = 1; ; tries++) {
      const link = await this.#standby.link();
      try {
        return await link.request(command, body);
      } catch (error) {
        if (!(error instanceof OutcomeUnknown) || !ONLY_ASKS[command] || tries === MAX_TRIES) throw error;
      }
    }
  };

  close(): Promise<void> {
    if (this.#closed) return this.#closing.promise;
    this.#closed = true;
    this.#standby.close();
    clearTimeout(this.#retry);
    if (this.#connection) this.#connection.end();
    else this.#closing.resolve();
    return this.#closing.promise;
  }

  #dial(): void {
    const { host, port, secret, beatMs } = this.#options;
    const socket = connect({ host, port });
    const connection: Connection = new Connection(socket, {
      maxBytes: MAX_ANSWER_BYTES,
      beatMs,
      take: (message) => this.#take(connection, link, message as FromServer),
      closed: (reason) => this.#hungUp(link, reason),
    });
    const link = new Link((request) => sendOn(connection, request));
    this.#connection = connection;
    socket.on('connect', () => {
      // A port of the ephemeral range on which nobody listens: the kernel may connect it with itself.
      if (socket.localPort === socket.remotePort && socket.localAddress === socket.remoteAddress) connection.break('nobody listens');
      else connection.send({ type: 'hello', secret });
    });
  }

  #take(connection: Connection, link: Link, message: FromServer): void {
    switch (message.type) {
      case 'ready':
        this.#met(connection, link, message.hub);
        break;
      case 'rejected':
        connection.break(message.message);
        break;
      case 'asks':
      case 'events':
        this.#listener?.news(message);
        break;
      default:
        link.take(message);
    }
  }

  #met(connection: Connection, link: Link, hub: string): void {
    this.#hub ??= hub;
    // That node knows nothing of our payments: whatever we asked, it would answer wrongly.
    if (this.#hub !== hub) {
      connection.break('another playground answers there than before');
      return;
    }
    if (this.#lastTrouble) this.#options.log.info({ playground: this.#name }, 'the playground can be reached again');
    this.#lastTrouble = '';
    this.#failuresInARow = 0;
    this.#standby.up(link);
    this.#listener?.ready();
  }

  #hungUp(link: Link, reason: string): void {
    this.#connection = undefined;
    this.#standby.down();
    link.break(new OutcomeUnknown(`the connection to the playground broke (${reason}): nobody knows whether this was done`));
    if (this.#closed) {
      this.#closing.resolve();
      return;
    }
    this.#standby.reason = `${this.#name} cannot be reached: ${reason}`;
    if (reason !== this.#lastTrouble)
      this.#options.log.warn({ playground: this.#name, reason }, 'the playground cannot be reached; trying again');
    this.#lastTrouble = reason;
    const delayMs = Math.min(FIRST_RETRY_MS * 2 ** this.#failuresInARow++, MAX_RETRY_MS);
    this.#retry = setTimeout(() => this.#dial(), delayMs);
  }
}

/** @throws PlaygroundRefusal or NodeUnavailable: nothing was sent. */
function sendOn(connection: Connection, request: Request): void {
  if (connection.isCongested) throw new NodeUnavailable('the playground does not keep up');
  const text = encodeFrame(request);
  // A string has at most three bytes for each of its units.
  if (text.length * 3 > MAX_REQUEST_BYTES && Buffer.byteLength(text) > MAX_REQUEST_BYTES) {
    throw new PlaygroundRefusal(`a request must be smaller than ${MAX_REQUEST_BYTES} bytes`);
  }
  connection.sendText(text);
}
