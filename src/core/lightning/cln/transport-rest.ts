import { readFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { errorMessage } from '../../kernel/log.ts';
import { NotSent, readBody, requestOverHttps } from '../https-request.ts';
import { NodeUnavailable } from '../node.ts';
import { ResponseLost, RpcError } from './errors.ts';
import { type ClnTransport, MAX_RESPONSE_BYTES, parseJson, reasonOf } from './transport.ts';
import { isRune, publicAddress, type RestAddress } from './url.ts';

type Credentials = ReturnType<typeof readCredentials>;

/** The code of lightningd for a rune that does not permit the request. */
const NOT_PERMITTED = 1502;

/** Calls lightningd through its plugin clnrest, over HTTPS. */
export class RestTransport implements ClnTransport {
  readonly #address: RestAddress;
  readonly #agent: Agent;
  /** Read again after a failure, because the node replaces its certificate and the operator replaces the rune. */
  #credentials: Credentials | undefined;

  constructor(address: RestAddress) {
    this.#address = address;
    this.#agent = openAgent(address);
  }

  async call(method: string, params: object, signal: AbortSignal): Promise<unknown> {
    this.#credentials ??= readCredentials(this.#address);
    try {
      const { status, text } = await this.#post(this.#credentials, method, JSON.stringify(params), signal);
      return readResult(status, text);
    } catch (error) {
      if (!(error instanceof RpcError) || error.code === NOT_PERMITTED) this.#credentials = undefined;
      throw error;
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  async #post({ rune, ca }: Credentials, method: string, body: string, signal: AbortSignal) {
    const { host, port } = this.#address;
    const headers = { rune, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const target = { host, port, method: 'POST', path: `/v1/${method}`, headers, agent: this.#agent, ...(ca !== undefined && { ca }) };
    try {
      const response = await requestOverHttps(target, body, signal);
      return { status: response.statusCode ?? 0, text: await readBody(response, 'clnrest', MAX_RESPONSE_BYTES) };
    } catch (error) {
      if (error instanceof NotSent) throw new NodeUnavailable(this.#explain(error.cause));
      throw new ResponseLost(`no response of clnrest: ${reasonOf(error, signal)}`);
    }
  }

  #explain({ code = '', message }: NodeJS.ErrnoException): string {
    return `clnrest at ${publicAddress(this.#address)} cannot be reached: ${message.split(';', 1)[0]}; ${remedy(code)}`;
  }
}

/** A waiting call occupies a socket, so the number of sockets has no limit. */
function openAgent({ certPath }: RestAddress): Agent {
  // The pinned authority signs certificates of this node only, so their host names do not matter. Node does not use the connection of a
  // request again that has its own `checkServerIdentity`, so it is an option of the agent.
  return new Agent({ keepAlive: true, ...(certPath !== undefined && { checkServerIdentity: () => undefined }) });
}

function remedy(code: string): string {
  if (/CERT|SELF_SIGNED|UNABLE_TO|TLS|SSL|EPROTO/.test(code)) return 'set the parameter cert of LIGHTNING_URL to the ca.pem of this node';
  return 'start lightningd with clnrest, or correct host and port to those of clnrest';
}

/** @throws NodeUnavailable when a file cannot be read. */
export function readCredentials({ rune, certPath }: RestAddress) {
  return {
    rune: 'text' in rune ? rune.text : readRune(rune.path),
    ca: certPath === undefined ? undefined : readFile('cert', certPath),
  };
}

function readRune(path: string): string {
  const rune = readFile('rune', path).trim();
  if (isRune(rune)) return rune;
  throw new NodeUnavailable('the file that the parameter rune of LIGHTNING_URL names must contain a rune and nothing else');
}

function readFile(parameter: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new NodeUnavailable(`the file that the parameter ${parameter} of LIGHTNING_URL names cannot be read: ${errorMessage(error)}`);
  }
}

/** The statuses of clnrest for errors of lightningd. A proxy may answer with others. */
const ERROR_STATUSES = [401, 403, 404, 500];

/** clnrest returns 201 for success. */
function readResult(status: number, text: string): unknown {
  const body = parseJson(text);
  if (status === 201) return body;
  const { code, message } = (body ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code !== 'number' || !ERROR_STATUSES.includes(status))
    throw new ResponseLost(`clnrest returned status ${status} without an error code`);
  if (status === 401 || status === 403) throw new RpcError(NOT_PERMITTED, 'the rune is invalid or does not permit this call');
  throw new RpcError(code, String(message));
}
