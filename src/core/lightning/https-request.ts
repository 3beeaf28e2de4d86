import type { IncomingMessage } from 'node:http';
import { type RequestOptions, request as sendRequest } from 'node:https';
import type { TLSSocket } from 'node:tls';

/** TCP and TLS. Connecting takes longer only if the host does not answer. */
const CONNECT_MS = 5000;

/** Nothing was sent, because of the cause. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
  override readonly cause: NodeJS.ErrnoException;

  constructor(cause: Error) {
    super(cause.message);
    this.cause = cause;
  }
}

/**
 * Sends a request to a node over HTTPS, and returns the response once its headers have arrived. When the signal aborts, the request or its
 * response is destroyed.
 * @throws NotSent when certainly nothing was sent. After any other error the node may execute the request.
 */
export function requestOverHttps(options: RequestOptions, body: string, signal: AbortSignal): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = sendRequest(options, resolve);
  // Node writes the request only after the TLS handshake.
  let mayBeSent = false;
  const fail = (error: Error) => reject(mayBeSent ? error : new NotSent(error));
  request.on('error', fail);
  request.on('socket', (socket) => {
    // The agent reuses the connections of requests that were aborted before this event. The value is null until the handshake has ended.
    mayBeSent = (socket as TLSSocket).alpnProtocol !== null;
    if (mayBeSent) return;
    const timer = setTimeout(() => {
      request.destroy(new Error(`connecting took longer than ${CONNECT_MS} ms; check host, port and firewall`));
    }, CONNECT_MS);
    (socket as TLSSocket).once('secureConnect', () => {
      mayBeSent = true;
      clearTimeout(timer);
    });
    request.once('close', () => clearTimeout(timer));
  });
  // As an option, the signal would also destroy the socket after the end, when another request may use it.
  const abort = () => {
    fail(signal.reason instanceof Error ? signal.reason : new Error('the request was aborted'));
    request.destroy();
  };
  signal.addEventListener('abort', abort);
  request.once('close', () => signal.removeEventListener('abort', abort));
  if (signal.aborted) abort();
  request.end(body);
  return promise;
}

/** Reads the body of a response. @throws when it is too large or breaks. */
export async function readBody(response: IncomingMessage, from: string, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`the response of ${from} is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
