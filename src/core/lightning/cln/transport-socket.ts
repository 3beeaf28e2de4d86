import { connect, type Socket } from 'node:net';
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
  readonly #sockets = new Set<Socket>();
  #isClosed = false;

  constructor(path: string) {
    this.#path = path;
  }

  async call(method: string, params: object, limits: CallLimits): Promise<unknown> {
    if (this.#isClosed) throw new NodeUnavailable('the connection to Core Lightning is closed');
    const text = await this.#exchange(JSON.stringify({ jsonrpc: '2.0', id: 'satchel', method, params }), limits);
    const { result, error } = readResponse(text);
    if (error) throw new RpcError(error.code, error.message);
    if (result === undefined) throw new ResponseLost('the response of lightningd has no result');
    return result;
  }

  close(): void {
    this.#isClosed = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  #exchange(request: string, { timeoutMs, signal }: CallLimits): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const socket = connect(this.#path);
    this.#sockets.add(socket);
    const chunks: Buffer[] = [];
    let isConnected = false;
    let bytes = 0;
    const stop = (reason: string) => socket.destroy(new Error(reason));
    const timer = setTimeout(() => stop(`no response within ${timeoutMs / 1000} s`), timeoutMs);
    const abort = () => stop('the call was aborted');
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
    socket.on('connect', () => {
      isConnected = true;
      socket.write(request);
    });
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_RESPONSE_BYTES) stop('the response is too long');
      if (!chunk.subarray(-2).toString('latin1').endsWith('\n')) return;
      const text = Buffer.concat(chunks).toString('utf8');
      if (!text.endsWith(END)) return;
      resolve(text);
      socket.destroy();
    });
    let reason = 'lightningd closed the connection';
    socket.on('error', (error) => {
      reason = error.message;
    });
    socket.on('end', () => socket.destroy());
    socket.on('close', () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      this.#sockets.delete(socket);
      reject(isConnected ? new ResponseLost(`no response of lightningd: ${reason}`) : new NodeUnavailable(explained(reason)));
    });
    return promise;
  }
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
