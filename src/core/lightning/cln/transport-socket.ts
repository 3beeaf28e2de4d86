import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { addAbortSignal } from 'node:stream';
import { NodeUnavailable } from '../node.ts';
import { ResponseLost, RpcError } from './errors.ts';
import { type ClnTransport, MAX_RESPONSE_BYTES, parseJson, reasonOf } from './transport.ts';

/** lightningd ends each response with an empty line. */
const END = '\n\n';

/** Calls lightningd through its Unix socket. Each call has its own connection, so a broken connection concerns one call. */
export class SocketTransport implements ClnTransport {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async call(method: string, params: object, signal: AbortSignal): Promise<unknown> {
    const text = await this.#exchange(JSON.stringify({ jsonrpc: '2.0', id: 'satchel', method, params }), signal);
    const { result, error } = parseJson(text) as { result?: unknown; error?: { code: number; message: string } };
    if (error) throw new RpcError(error.code, error.message);
    if (result === undefined) throw new ResponseLost('the response of lightningd has no result');
    return result;
  }

  async #exchange(request: string, signal: AbortSignal): Promise<string> {
    const socket = addAbortSignal(signal, connect(this.#path));
    // An error after the response concerns no call.
    socket.on('error', () => undefined);
    let isConnected = false;
    try {
      await once(socket, 'connect');
      isConnected = true;
      socket.write(request);
      return await readToEnd(socket);
    } catch (error) {
      const reason = reasonOf(error, signal);
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

function explained(reason: string): string {
  const isDenied = reason.includes('EACCES');
  const remedy = isDenied ? 'give the user of this service access to the socket' : 'start lightningd, or correct the path in LIGHTNING_URL';
  return `lightningd cannot be reached: ${reason}; ${remedy}`;
}
