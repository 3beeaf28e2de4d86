import { Agent, type IncomingMessage, request as sendRequest } from 'node:http';
import type { Socket } from 'node:net';
import { pause } from '../../src/core/kernel/clock.ts';
import type { Log } from '../../src/core/kernel/log.ts';
import { NodeUnavailable } from '../../src/core/lightning/node.ts';
import { OutcomeUnknown, PlaygroundRefusal, type TestNetwork } from '../test-network.ts';
import { connectTestNetwork } from './connect.ts';
import { DEFAULT_NODE } from './node-name.ts';
import { type Call, type CommandName, MAY_REPEAT, type Transport } from './protocol.ts';
import {
  bearerToken,
  HUB_HEADER,
  MAX_REQUEST_BYTES,
  MAX_RESPONSE_BYTES,
  type PlaygroundAddress,
  parsePlaygroundUrl,
  publicUrl,
  readText,
} from './shared.ts';

export interface SharedPlaygroundOptions {
  /** `playground://host:port?secret=…`, with `&node=…` for another node than `hub`. */
  readonly url: string;
  readonly log: Log;
  /** A connection without data for this long is broken. Shorter in tests. */
  readonly timeoutMs?: number;
}

/** Longer than a wait for events, for an outside payment, or for a restart of the worker. */
const TIMEOUT_MS = 30_000;
/** How long a call waits for a playground that cannot be reached. */
const REACH_WAIT_MS = 2_000;
const FIRST_RETRY_MS = 50;
/** For commands that may be repeated. */
const MAX_ATTEMPTS = 3;

/**
 * Connects to a playground that runs as its own process (`satchel playground`) and may serve several instances. Opening it never waits. While
 * the playground cannot be reached, calls throw NodeUnavailable after two seconds. Once it can be reached, they work again. A call whose
 * connection breaks throws OutcomeUnknown, unless the command may be repeated: then it is sent again.
 * @throws InvalidPlaygroundUrl
 */
export function openSharedPlayground({ url, log, timeoutMs = TIMEOUT_MS }: SharedPlaygroundOptions): TestNetwork {
  const address = parsePlaygroundUrl(url);
  return connectTestNetwork(new PlaygroundClient(address, log, timeoutMs), address.node, log);
}

/** The playground did not receive the command. */
class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

interface Response {
  readonly status: number;
  readonly hub: string | undefined;
  readonly text: string;
}

class PlaygroundClient implements Transport {
  readonly #address: PlaygroundAddress;
  readonly #log: Log;
  readonly #timeoutMs: number;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #closing = new AbortController();
  /** The public key of the playground that answered first. */
  #hub: string | undefined;
  /** The reason that was logged last, while the playground cannot be reached. */
  #problem = '';

  constructor(address: PlaygroundAddress, log: Log, timeoutMs: number) {
    this.#address = address;
    this.#log = log;
    this.#timeoutMs = timeoutMs;
  }

  readonly call: Call = async (command, request) => {
    if (!this.#hub && !MAY_REPEAT[command]) await this.#findHub();
    const text = JSON.stringify(request);
    if (Buffer.byteLength(text) > MAX_REQUEST_BYTES) throw new PlaygroundRefusal(`a request must not exceed ${MAX_REQUEST_BYTES} bytes`);
    const start = performance.now();
    for (let attempt = 1; ; attempt++) {
      try {
        return (await this.#deliver(command, text)) as never;
      } catch (error) {
        const isLast = attempt === MAX_ATTEMPTS || performance.now() - start >= this.#timeoutMs;
        if (!(error instanceof OutcomeUnknown) || !MAY_REPEAT[command] || isLast) throw error;
      }
    }
  };

  async close(): Promise<void> {
    this.#closing.abort();
    this.#agent.destroy();
  }

  /** Reads the public key of the hub before the first command that changes something, so that no other playground carries one out. */
  async #findHub(): Promise<void> {
    try {
      await this.call('describe', null);
    } catch (error) {
      throw error instanceof OutcomeUnknown ? this.#unavailable(error.message) : error;
    }
  }

  /** Tries for two seconds to reach the playground. @throws the playground's error, NodeUnavailable, or OutcomeUnknown. */
  async #deliver(command: CommandName, text: string): Promise<unknown> {
    const deadline = performance.now() + REACH_WAIT_MS;
    for (let delayMs = FIRST_RETRY_MS; ; delayMs *= 2) {
      if (this.#closing.signal.aborted) throw new NodeUnavailable('the Lightning playground is closed');
      try {
        return this.#read(await this.#post(command, text));
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error;
        this.#logState(error.message);
        const remainingMs = deadline - performance.now();
        if (remainingMs <= 0) throw this.#unavailable(error.message);
        await pause(Math.min(delayMs, remainingMs), this.#closing.signal);
      }
    }
  }

  #unavailable(reason: string): NodeUnavailable {
    return new NodeUnavailable(`${publicUrl(this.#address)} cannot be reached: ${reason}`);
  }

  #post(command: CommandName, text: string): Promise<Response> {
    const { host, port, secret, node } = this.#address;
    const headers = {
      authorization: bearerToken(secret),
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      ...(this.#hub && { [HUB_HEADER]: this.#hub }),
    };
    const path = node === DEFAULT_NODE ? `/${command}` : `/${command}?node=${node}`;
    const options = { host, port, agent: this.#agent, method: 'POST', path, headers, timeout: this.#timeoutMs };
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const fail = (error: Error): void => reject(toFailure(error));
    const request = sendRequest(options, (response) => void readResponse(response).then(resolve, fail));
    request.on('error', fail);
    request.on('timeout', () => request.destroy(new Error(`no data for ${this.#timeoutMs} ms`)));
    request.on('socket', (socket: Socket) => {
      if (!socket.connecting) return;
      const timer = setTimeout(() => request.destroy(new Unreachable('connecting takes too long')), REACH_WAIT_MS);
      for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(timer));
    });
    request.end(text);
    return promise;
  }

  /** Returns the value of a response. @throws Unreachable, PlaygroundRefusal, NodeUnavailable, OutcomeUnknown */
  #read({ status, hub, text }: Response): unknown {
    if (status === 401) throw new Unreachable('the secret is wrong');
    if (!hub) throw new Unreachable('the server there is not a playground');
    this.#hub ??= hub;
    // It does not know our payments, so its answers would be wrong.
    if (hub !== this.#hub) throw new Unreachable('another playground answers there than before');
    this.#logState('');
    const { value, error } = parseBody(text);
    if (status === 200) return value;
    if (status === 503) throw new NodeUnavailable(error);
    throw status < 500 ? new PlaygroundRefusal(error) : new OutcomeUnknown(error);
  }

  /** Logs when the playground becomes unreachable, and when it can be reached again. */
  #logState(problem: string): void {
    const playground = publicUrl(this.#address);
    if (problem !== this.#problem) {
      if (problem) this.#log.warn({ playground, reason: problem }, 'the playground cannot be reached; trying again');
      else this.#log.info({ playground }, 'the playground can be reached again');
    }
    this.#problem = problem;
  }
}

function parseBody(text: string): { value?: unknown; error?: string } {
  try {
    return JSON.parse(text) as object;
  } catch {
    throw new OutcomeUnknown('the response of the playground is not JSON; the outcome is unknown');
  }
}

async function readResponse(response: IncomingMessage): Promise<Response> {
  const text = await readText(response, MAX_RESPONSE_BYTES);
  return { status: response.statusCode ?? 0, hub: response.headers[HUB_HEADER]?.toString(), text };
}

function toFailure(error: Error): Error {
  if (error instanceof Unreachable) return error;
  const { syscall, code } = error as NodeJS.ErrnoException;
  if (syscall === 'connect' || syscall === 'getaddrinfo') return new Unreachable(error.message);
  // The other side does not speak HTTP. This includes a socket that the kernel connected with itself because no process listens on its port.
  if (code?.startsWith('HPE_')) return new Unreachable('the server there is not a playground');
  return new OutcomeUnknown(`the connection to the playground broke (${error.message}); the outcome is unknown`);
}
