import { type IncomingMessage, request as sendRequest } from 'node:http';
import type { Socket } from 'node:net';

export interface Message {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
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
    headers: { ...headers, host: url.host, 'accept-encoding': 'identity', 'user-agent': 'satchel', ...lengthOf(method, body) },
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

function lengthOf(method: string, body: string): Record<string, string> {
  return method === 'GET' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
}

/** Reads a whole body. @throws Error when it is encoded, too long or incomplete */
export async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  checkEncoding(response);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`the body is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Reads the first bytes of a body, as text. If the body is encoded or breaks off, returns what has arrived: the status counts. */
export async function readStart(response: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    checkEncoding(response);
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= maxBytes) break;
    }
  } catch {
    // The caller needs no more than the status.
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8');
}

/** The request accepts no encoding. A short encoded body can expand to any length. */
function checkEncoding({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding !== '' && encoding !== 'identity') throw new Error('the body is encoded');
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

/** Counts the levels of objects and arrays without recursion, which would overflow the stack. */
function isDeeperThan(maxDepth: number, value: unknown): boolean {
  let level = containersOf([value]);
  for (let depth = 0; depth < maxDepth; depth += 1) level = containersOf(level.flatMap((one) => Object.values(one)));
  return level.length > 0;
}

function containersOf(values: readonly unknown[]): object[] {
  return values.filter((one): one is object => typeof one === 'object' && one !== null);
}
