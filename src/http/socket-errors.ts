import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ConnectionError } from 'fastify';
import { newId } from '../core/kernel/ids.ts';
import { Refusal } from '../core/kernel/refusal.ts';
import { CORS_HEADERS } from './cors.ts';
import { errorObject } from './errors.ts';
import { METHODS } from './methods.ts';

/** Handles data that is not a request: invalid HTTP, headers that are too large or arrive too slowly. Node passes the bare socket. */
export function handleClientError(error: ConnectionError, socket: Socket): void {
  // Some clients open connections ahead of their requests. They would take an error for the response to their next request.
  if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesRead === 0) {
    socket.destroy();
    return;
  }
  endWithError(socket, toRefusal(error));
}

function toRefusal({ code, rawPacket }: ConnectionError): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') return new Refusal('payload_too_large', 'The request line and the headers must be at most 16 kB.');
  const isRequest = code === 'HPE_INVALID_METHOD' && /^[A-Z-]+ \S+ HTTP\/1\.[01]\r\n/.test(String(rawPacket));
  return isRequest ? new Refusal('method_not_allowed') : new Refusal('malformed_body', 'The request cannot be read.');
}

/** Rejects CONNECT, which requests a tunnel. Node removes its listeners from the socket, so an unhandled error would end the process. */
export function rejectConnect(_request: IncomingMessage, socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  endWithError(socket, new Refusal('malformed_body', 'This service is not a proxy.'));
}

/** Writes the error, unless an earlier request on the connection, perhaps a payment, still waits for its response. */
function endWithError(socket: Duplex & { readonly _httpMessage?: ServerResponse | null }, refusal: Refusal): void {
  // Node has no public property for the response that is pending on a connection.
  if (socket._httpMessage?.req.complete) {
    socket.destroy();
    return;
  }
  const id = newId();
  // The path is unknown. An app may have sent a payment, and BlueWallet takes JSON that does not begin with `error` for a success.
  const body = JSON.stringify({ error: true, ...errorObject(refusal, id) });
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${id}`,
    'Cache-Control: no-store',
    // The path is unknown, and the error contains nothing that must be hidden from other origins.
    ...Object.entries(CORS_HEADERS).map(([name, value]) => `${name}: ${value}`),
    ...(refusal.status === 405 ? [`Allow: ${METHODS.join(', ')}`] : []),
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  destroyLater(socket);
}

const LINGER_MS = 1000;

/** Destroying a socket while its client still sends would reset the connection, and the client would lose the response. */
function destroyLater(socket: Duplex): void {
  socket.removeAllListeners('data');
  socket.on('data', () => undefined).once('end', () => socket.destroy());
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}
