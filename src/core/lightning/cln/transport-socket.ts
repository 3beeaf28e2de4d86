import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { addAbortSignal } from 'node:stream';
import { errorMessage } from '../../kernel/log.ts';
import { NodeUnavailable } from '../node.ts';
import { ResponseLost, RpcError } from './errors.ts';
import { parseJson } from './json.ts';
import { type CallLimits, type ClnTransport, MAX_RESPONSE_BYTES } from './transport.ts';

interface JsonRpcResponse {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** lightningd ends each response with an empty line. */
const END = '\n\n';

/** Calls lightningd through its Unix socket. Each call has its own connection, so a broken connection concerns one call. */
export class SocketTransport implements ClnTransport {
  readonly #path: string;
  readonly #closing = new AbortController();

  constructor(path: string) {
    this.#path = path;
  }

  async call(method: string, params: object, limits: CallLimits): Promise<unknown> {
    if (this.#closing.signal.aborted) throw new NodeUnavailable('the connection to Core Lightning is closed');
    const text = await this.#exchange(JSON.stringify({ jsonrpc: '2.0', id: 'satchel', method, params }), limits);
    const { result, error } = readResponse(text);
    if (error) throw new RpcError(error.code, error.message);
    if (result === undefined) throw new ResponseLost('the response of lightningd has no result');
    return result;
  }

  close(): void {
    this.#closing.abort();
  }

  async #exchange(request: string, { timeoutMs, signal }: CallLimits): Promise<string> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const abort = AbortSignal.any([this.#closing.signal, timeout, ...(signal ? [signal] : [])]);
    const socket = addAbortSignal(abort, connect(this.#path));
    // Errors after the last read concern nobody.
    socket.on('error', () => undefined);
    let isConnected = false;
    try {
      await once(socket, 'connect');
      isConnected = true;
      socket.write(request);
      return await readToEnd(socket);
    } catch (error) {
      const reason = timeout.aborted ? `no response within ${timeoutMs / 1000} s` : errorMessage(error);
      throw isConnected ? new ResponseLost(`no response of lightningd: ${reason}`) : new NodeUnavailable(explained(reason));
    } finally {
      socket.destroy();
    }
  }
}

async function readToEnd(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_RESPONSE_BYTES) throw new Error('the response is too long');
    if (chunk.at(-1) !== END.charCodeAt(1)) continue;
    const text = Buffer.concat(chunks).toString('utf8');
    if (text.endsWith(END)) return text;
  }
  throw new Error('lightningd closed the connection');
}

function readResponse(text: string): JsonRpcResponse {
  try {
    return parseJson(text) as JsonRpcResponse;
  } catch {
    throw new ResponseLost('the response of lightningd is not JSON');
  }
}

function explained(reason: string): string {
  const isDenied = reason.includes('EACCES');
  const remedy = isDenied ? 'give the user of this service access to the socket' : 'start lightningd, or correct the path in LIGHTNING_URL';
  return `lightningd cannot be reached: ${reason}; ${remedy}`;
}
