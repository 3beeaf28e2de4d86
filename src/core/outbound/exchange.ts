import { type IncomingMessage, request as sendRequest } from 'node:http';
import type { Socket } from 'node:net';
import { isDeeperThan } from '../kernel/json.ts';

export interface Message {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

const MAX_HEADER_BYTES = 16_384;
/** For interim responses and line breaks, which the parser skips. One read can also contain 64 kB of the body. */
const MAX_BYTES_BEFORE_RESPONSE = 131_072;
const MAX_DEPTH = 32;

/** Sends a request on a new connection. @returns the response once its headers have arrived */
export function exchange(socket: Socket, url: URL, { method, headers, body }: Message, signal: AbortSignal): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = sendRequest({
    createConnection: () => socket,
    method,
    path: url.pathname + url.search,
    headers: {
      ...headers,
      host: url.host,
      'accept-encoding': 'identity',
      'user-agent': 'satchel',
      ...(method === 'POST' && { 'content-length': String(Buffer.byteLength(body)) }),
    },
    maxHeaderSize: MAX_HEADER_BYTES,
    insecureHTTPParser: false,
    signal,
  });
  let received = 0;
  const count = (chunk: Buffer) => {
    received += chunk.length;
    if (received > MAX_BYTES_BEFORE_RESPONSE) request.destroy(new Error('too many bytes before the response'));
  };
  request.on('socket', () => socket.on('data', count));
  request.on('response', (response) => {
    socket.off('data', count);
    resolve(response);
  });
  request.on('error', reject);
  // A response that changes the protocol (101) ends without another event.
  request.on('close', () => reject(new Error('the connection ended without a response')));
  request.end(body);
  return promise;
}

/** Reads the first bytes of a body. `failure` is why they are not the whole body: it is encoded, too long or incomplete. */
export async function readBody(response: IncomingMessage, maxBytes: number): Promise<{ bytes: Buffer; failure?: unknown }> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    // The request accepts no encoding. A short encoded body can expand to any length.
    const encoding = response.headers['content-encoding']?.trim().toLowerCase() ?? '';
    if (encoding !== '' && encoding !== 'identity') throw new Error('the body is encoded');
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxBytes) throw new Error(`the body is longer than ${maxBytes} bytes`);
    }
    return { bytes: Buffer.concat(chunks) };
  } catch (failure) {
    return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), failure };
  }
}

/** Parses JSON. @returns undefined when it is none, is not UTF-8, or nests deeper than 32 levels */
export function parseJson(bytes: Buffer): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return isDeeperThan(MAX_DEPTH, value) ? undefined : { value };
  } catch {
    return undefined;
  }
}
