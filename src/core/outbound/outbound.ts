import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { errorMessage } from '../kernel/log.ts';
import { RunningTasks } from '../kernel/running-tasks.ts';
import { untraced } from '../kernel/tracing.ts';
import { isPublicAddress } from './addresses.ts';
import { type NetworkAccess, openConnection, systemNetwork } from './connect.ts';
import { exchange, type Message, parseJson, readBody } from './exchange.ts';
import {
  invalidUrl,
  OutboundError,
  type OutboundReason,
  type OutboundRules,
  readTarget,
  remedyForLoopback,
  type Target,
} from './target.ts';

export { OutboundError, type OutboundReason } from './target.ts';

interface RequestLimits {
  /** The time for everything: name resolution, connection, TLS, redirects and body. Default: 10,000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface GetOptions extends RequestLimits {
  /** The maximum length of the body. Default: 65,536. */
  readonly maxBytes?: number;
  /** Default: 3. */
  readonly maxRedirects?: number;
}

export interface PostOptions extends RequestLimits {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

export interface OutboundSettings extends OutboundRules {
  readonly log: { debug(fields: object, message: string): void };
  /** The maximum of concurrent requests, in total and per host. */
  readonly maxRequests?: number;
  readonly maxRequestsPerHost?: number;
  /** For tests. */
  readonly network?: NetworkAccess;
  readonly timeout?: (ms: number) => AbortSignal;
}

const TIMEOUT_MS = 10_000;
const JSON_BYTES = 65_536;
const TEXT_BYTES = 1024;
const MAX_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * The client for URLs that users or other services supply. It connects to public addresses, to hosts that the operator allowed, and through
 * the proxy to .onion hosts. All its methods throw OutboundError, and nothing else.
 */
export class Outbound {
  readonly #settings: OutboundSettings;
  readonly #running = new RunningTasks();

  constructor(settings: OutboundSettings) {
    this.#settings = settings;
  }

  /** Sends a GET request, follows redirects, and parses the body of the response, whatever its status. */
  getJson(url: string, options: GetOptions = {}): Promise<{ readonly status: number; readonly body: unknown }> {
    const message: Message = { method: 'GET', headers: { accept: 'application/json' }, body: '' };
    const { maxRedirects = MAX_REDIRECTS } = options;
    return this.#run(url, options, async (first, signal) => {
      const read = async (response: IncomingMessage) => {
        const { statusCode: status = 0, headers } = response;
        if (REDIRECTS.has(status) && headers.location !== undefined) return headers.location;
        const { bytes, failure } = await readBody(response, options.maxBytes ?? JSON_BYTES);
        if (failure !== undefined) throw failure;
        // Without a content-length, an aborted body looks complete.
        signal.throwIfAborted();
        const json = parseJson(bytes);
        if (!json) throw invalidResponse(first, 'not_json');
        return { status, body: json.value };
      };
      let target = first;
      for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
        const result = await this.#send(target, message, signal, read);
        if (typeof result !== 'string') return result;
        target = this.#redirect(target, result);
      }
      throw new Error(`more than ${maxRedirects} redirects`);
    });
  }

  /**
   * Sends a POST request. Redirects are not followed: they are a response like any other. `text` is the first 1,024 bytes of the body; it is
   * empty or shorter when the body is encoded or breaks off.
   */
  post(url: string, { headers, body, ...limits }: PostOptions): Promise<{ readonly status: number; readonly text: string }> {
    return this.#run(url, limits, (target, signal) =>
      this.#send(target, { method: 'POST', headers, body }, signal, async (response) => ({
        status: response.statusCode ?? 0,
        // The status counts, also if the body breaks off.
        text: (await readBody(response, TEXT_BYTES)).bytes.toString('utf8'),
      })),
    );
  }

  /**
   * Opens a connection to the host of a `wss://` URL for another protocol than HTTP requests, and closes it after the task. A `ws://` URL needs
   * what an `http://` URL needs. The task throws what it likes: its error is logged, and becomes an OutboundError.
   */
  async withSocket<T>(url: string, limits: RequestLimits, task: (socket: Socket, signal: AbortSignal) => Promise<T>): Promise<T> {
    if (!/^wss?:/i.test(url)) throw invalidUrl('The URL must begin with wss://.');
    return this.#run(url.replace(/^ws/i, 'http'), limits, (target, signal) =>
      this.#onConnection(target, signal, (socket) => task(socket, signal)),
    );
  }

  /**
   * Checks a URL before it is stored, as far as that is possible without resolving its name. Each request checks it again.
   * @throws OutboundError `invalid_url`
   */
  checkUrl(url: string): void {
    const { url: parsed, host, isAllowed } = readTarget(url, this.#settings);
    const isPrivate = isIP(host) === 0 ? /(^|\.)localhost$/.test(host) : !this.#settings.allow.hasAddress(host) && !isPublicAddress(host);
    if (isPrivate && !isAllowed)
      throw invalidUrl(
        `The host of the URL must have a public address. Only hosts in OUTBOUND_ALLOW may be private.${remedyForLoopback(parsed, host)}`,
      );
  }

  /** Runs a request within its time. Logs the cause of a failure, without the path and the query, which can contain secrets. */
  async #run<T>(url: string, limits: RequestLimits, task: (target: Target, signal: AbortSignal) => Promise<T>): Promise<T> {
    const target = readTarget(url, this.#settings);
    const timeout = (this.#settings.timeout ?? AbortSignal.timeout)(limits.timeoutMs ?? TIMEOUT_MS);
    const signal = limits.signal ? AbortSignal.any([timeout, limits.signal]) : timeout;
    try {
      // A URL, or what is sent, may contain a secret.
      return await untraced(() => task(target, signal));
    } catch (error) {
      const failure = error instanceof OutboundError ? error : invalidResponse(target, timeout.aborted ? 'timed_out' : 'no_valid_response');
      const cause = causeOf(signal.aborted ? signal.reason : error);
      this.#settings.log.debug({ host: target.url.host, reason: failure.reason, cause }, 'an outbound request failed');
      throw failure;
    }
  }

  /** Sends one request on a connection of its own. @throws OutboundError `busy` */
  #send<T>(target: Target, message: Message, signal: AbortSignal, read: (response: IncomingMessage) => Promise<T>): Promise<T> {
    return this.#onConnection(target, signal, async (socket) => read(await exchange(socket, target.url, message, signal)));
  }

  /** Runs a task on a new connection. @throws OutboundError `busy` */
  #onConnection<T>(target: Target, signal: AbortSignal, task: (socket: Socket) => Promise<T>): Promise<T> {
    const { allow, proxy, network = systemNetwork, maxRequests = 256, maxRequestsPerHost = 16 } = this.#settings;
    const connect = async () => {
      const socket = await openConnection(target, { allow, proxy, network }, signal);
      try {
        return await task(socket);
      } finally {
        socket.destroy();
      }
    };
    return this.#running.run('', maxRequests, tooManyRequests, () =>
      this.#running.run(target.host, maxRequestsPerHost, tooManyRequests, connect),
    );
  }

  #redirect({ url }: Target, location: string): Target {
    try {
      // A service of others must not send this client to this machine.
      return readTarget(new URL(location, url).href, { ...this.#settings, mayReachLoopback: () => false });
    } catch (error) {
      throw new Error(`a redirect is refused: ${errorMessage(error)}`);
    }
  }
}

function invalidResponse({ url }: Target, reason: OutboundReason): OutboundError {
  return new OutboundError(reason, `The service at ${url.host} could not be reached or gave no valid response.`);
}

function tooManyRequests(): OutboundError {
  return new OutboundError('busy', 'Too many requests to other services are running. Try again later.');
}

function causeOf(error: unknown): string {
  if (error instanceof OutboundError) return error.reason;
  // Node's error of several failed addresses has no message of its own.
  return error instanceof AggregateError ? error.errors.map(errorMessage).join('; ') : errorMessage(error);
}
