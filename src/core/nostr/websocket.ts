import { hash, randomBytes } from 'node:crypto';
import { type IncomingMessage, request as sendRequest } from 'node:http';
import { connect as connectSocket, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectSecure } from 'node:tls';
import { FrameReader, Opcode, writeFrame } from './websocket-frames.ts';

/** Opens a connected socket to the host of a URL, encrypted for `wss`. */
export type OpenSocket = (url: URL, signal: AbortSignal) => Promise<Duplex>;

interface WebSocketLimits {
  /** A longer message ends the connection. */
  readonly maxMessageBytes: number;
  /** The connection ends if the other side leaves more unread. */
  readonly maxUnsentBytes: number;
}

interface WebSocketEvents {
  onText(text: string): void;
  /** Called once. The connection has ended without an error if `error` is undefined. */
  onEnd(error: Error | undefined): void;
}

interface WebSocketEnd extends WebSocketLimits {
  readonly isClient: boolean;
  /** Bytes that were received with the handshake. */
  readonly head: Buffer;
}

const ACCEPT_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const MAX_HEADER_BYTES = 16_384;
const CLOSE_MS = 2000;
const CLOSE_NORMALLY = Uint8Array.of(0x03, 0xe8);

/** A WebSocket (RFC 6455) without extensions. Node's own buffers messages of up to 128 MiB, and cannot use a socket of the outbound client. */
export class WebSocketConnection {
  readonly #socket: Duplex;
  readonly #options: WebSocketEnd;
  #events: WebSocketEvents | undefined;
  #end: { readonly error: Error | undefined } | undefined;

  constructor(socket: Duplex, options: WebSocketEnd) {
    this.#socket = socket;
    this.#options = options;
    socket.on('error', (error: Error) => this.end(error));
    socket.on('end', () => this.end());
    socket.on('close', () => this.end());
  }

  /** Begins to read. Called once. */
  listen(events: WebSocketEvents): void {
    if (this.#end) {
      events.onEnd(this.#end.error);
      return;
    }
    const { isClient, maxMessageBytes, head } = this.#options;
    this.#events = events;
    const reader = new FrameReader({ isMasked: !isClient, maxMessageBytes });
    const read = (chunk: Buffer) => {
      try {
        for (const message of reader.read(chunk)) this.#handle(message.opcode, message.payload);
      } catch (error) {
        this.end(error as Error);
      }
    };
    this.#socket.on('data', read);
    if (head.length > 0) read(head);
  }

  /** Sends a text message. Does nothing after the end. */
  send(text: string): void {
    this.#write(Opcode.text, Buffer.from(text));
  }

  /** Reads nothing for a while. Messages of the last chunk, at most 64 KiB, still arrive. */
  pauseReading(ms: number): void {
    this.#socket.pause();
    setTimeout(() => this.#socket.resume(), ms).unref();
  }

  /** Ends the connection, with a reason or without one. */
  end(error?: Error): void {
    if (this.#end) return;
    if (!error) this.#write(Opcode.close, CLOSE_NORMALLY);
    this.#end = { error };
    if (error) this.#socket.destroy();
    else this.#destroyWhenSent();
    this.#events?.onEnd(error);
  }

  #handle(opcode: number, payload: Buffer): void {
    if (this.#end) return;
    if (opcode === Opcode.text) this.#events?.onText(payload.toString('utf8'));
    else if (opcode === Opcode.ping) this.#write(Opcode.pong, payload);
    else if (opcode === Opcode.close) this.end();
  }

  /** Closes the socket without waiting for the other side, which may never read. */
  #destroyWhenSent(): void {
    const timer = setTimeout(() => this.#socket.destroy(), CLOSE_MS).unref();
    this.#socket.end(() => {
      clearTimeout(timer);
      this.#socket.destroy();
    });
  }

  #write(opcode: number, payload: Uint8Array): void {
    if (this.#end || !this.#socket.writable) return;
    this.#socket.write(writeFrame(opcode, payload, this.#options.isClient));
    if (this.#socket.writableLength > this.#options.maxUnsentBytes) this.end(new Error('the other side does not read its messages'));
  }
}

/** Connects to a WebSocket server. Redirects are not followed. @throws Error with the cause, for the log */
export async function openWebSocket(
  url: URL,
  { open = openRelaySocket, signal, ...limits }: WebSocketLimits & { readonly open?: OpenSocket | undefined; readonly signal: AbortSignal },
): Promise<WebSocketConnection> {
  const socket = await open(url, signal);
  const key = randomBytes(16).toString('base64');
  const { promise, resolve, reject } = Promise.withResolvers<WebSocketConnection>();
  const request = sendRequest({
    createConnection: () => socket,
    path: url.pathname + url.search,
    headers: { host: url.host, upgrade: 'websocket', connection: 'Upgrade', 'sec-websocket-version': '13', 'sec-websocket-key': key },
    maxHeaderSize: MAX_HEADER_BYTES,
    signal,
  });
  request.on('upgrade', ({ headers }: IncomingMessage, upgraded: Duplex, head: Buffer) => {
    if (headers['sec-websocket-accept'] === acceptValue(key))
      resolve(new WebSocketConnection(upgraded, { ...limits, isClient: true, head }));
    else reject(new Error('the response does not accept the WebSocket'));
  });
  request.on('response', ({ statusCode }) => reject(new Error(`the response to the WebSocket request has status ${statusCode}`)));
  request.on('error', reject);
  request.on('close', () => reject(new Error('the connection ended without a response')));
  request.end();
  try {
    return await promise;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** Returns the value with which a server accepts the key of a client (RFC 6455, section 4.2.2). */
export function acceptValue(key: string): string {
  return hash('sha1', key + ACCEPT_SUFFIX, 'base64');
}

/** Connects to the host of a URL that the operator chose. */
export async function openRelaySocket(url: URL, signal: AbortSignal): Promise<Socket> {
  const isTls = url.protocol === 'wss:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port);
  // Checks the certificate, also if NODE_TLS_REJECT_UNAUTHORIZED is 0. An address cannot be a server name (RFC 6066).
  const secure = { servername: isIP(host) === 0 ? host : '', rejectUnauthorized: true, ALPNProtocols: ['http/1.1'] };
  const socket = isTls ? connectSecure({ host, port, ...secure }) : connectSocket({ host, port });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const abort = () => reject(signal.reason);
  socket.once(isTls ? 'secureConnect' : 'connect', resolve);
  socket.once('error', reject);
  signal.addEventListener('abort', abort);
  try {
    signal.throwIfAborted();
    await promise;
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    socket.off('error', reject);
    signal.removeEventListener('abort', abort);
  }
}
