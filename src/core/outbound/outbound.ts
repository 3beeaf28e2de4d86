import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { errorMessage } from '../kernel/log.ts';
import { type AllowList, isPublicAddress, type SocksProxy } from './addresses.ts';
import { type NetworkAccess, openConnection, systemNetwork } from './connect.ts';
import { exchange, type Message, parseJson, readBody, readStart } from './exchange.ts';
import { invalidResponse, invalidUrl, OutboundError, tooManyRequests } from './outbound-error.ts';
import { readTarget, type Target, type TargetRules } from './target.ts';

export { OutboundError, type OutboundReason } from './outbound-error.ts';

/**
 * The client for URLs that users or other services supply. It connects to public addresses, to hosts that the operator allowed, and through
 * the proxy to .onion hosts. All its methods throw OutboundError, and nothing else.
 */
export interface Outbound {
  /** Sends a GET request, follows up to three redirects, and parses the body of the response, whatever its status. */
  getJson(url: string, options?: GetOptions): Promise<JsonResponse>;
  /**
   * Checks a URL before it is stored, as far as that is possible without resolving its name. Each request checks it again.
   * @throws OutboundError `invalid_url`
   */
  checkUrl(url: string): void;
  /** Sends a POST request. Redirects are not followed: they are a response like any other. */
  post(url: string, options: PostOptions): Promise<PostResponse>;
}

interface RequestLimits {
  /** The time for everything: name resolution, connection, TLS, redirects and body. Default: 10,000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface GetOptions extends RequestLimits {
  /** The maximum length of the body. Default: 65,536. */
  readonly maxBytes?: number;
}

export interface PostOptions extends RequestLimits {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface JsonResponse {
  readonly status: number;
  readonly body: unknown;
}

export interface PostResponse {
  readonly status: number;
  /** The first 1,024 bytes of the body. Empty or shorter when the body is encoded or breaks off. */
  readonly text: string;
}

export interface OutboundSettings {
  readonly allow: AllowList;
  readonly proxy: SocksProxy | undefined;
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

export function createOutbound(settings: OutboundSettings): Outbound {
  return new GuardedClient(settings);
}

class GuardedClient implements Outbound {
  readonly #settings: OutboundSettings;
  readonly #rules: TargetRules;
  readonly #running = new Map<string, number>();
  #total = 0;

  constructor(settings: OutboundSettings) {
    this.#settings = settings;
    this.#rules = { allow: settings.allow, hasProxy: settings.proxy !== undefined };
  }

  getJson(url: string, options: GetOptions = {}): Promise<JsonResponse> {
    const message: Message = { method: 'GET', headers: { accept: 'application/json' }, body: '' };
    const { maxBytes = JSON_BYTES } = options;
    return this.#run(url, options, async (first, signal) => {
      const read = async (response: IncomingMessage) => {
        const location = redirectOf(response);
        if (location !== undefined) return location;
        const bytes = await readBody(response, maxBytes);
        // Without a content-length, an aborted body looks complete.
        signal.throwIfAborted();
        const json = parseJson(bytes);
        if (!json) throw invalidResponse(first.url.host, 'not_json');
        return { status: response.statusCode ?? 0, body: json.value };
      };
      let target = first;
      for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
        const result = await this.#send(target, message, signal, read);
        if (typeof result !== 'string') return result;
        target = this.#redirect(target, result);
      }
      throw new Error(`more than ${MAX_REDIRECTS} redirects`);
    });
  }

  checkUrl(url: string): void {
    const { host, isAllowed } = readTarget(url, this.#rules);
    const isPrivate = isIP(host) === 0 ? /(^|\.)localhost$/.test(host) : !this.#rules.allow.hasAddress(host) && !isPublicAddress(host);
    if (isPrivate && !isAllowed)
      throw invalidUrl('The host of the URL must have a public address. Only hosts in OUTBOUND_ALLOW may be private.');
  }

  post(url: string, { headers, body, ...limits }: PostOptions): Promise<PostResponse> {
    return this.#run(url, limits, (target, signal) =>
      this.#send(target, { method: 'POST', headers, body }, signal, async (response) => ({
        status: response.statusCode ?? 0,
        text: await readStart(response, TEXT_BYTES),
      })),
    );
  }

  /** Runs a request within its time. Logs the cause of a failure, without the path and the query, which can contain secrets. */
  async #run<T>(url: string, limits: RequestLimits, task: (target: Target, signal: AbortSignal) => Promise<T>): Promise<T> {
    const target = readTarget(url, this.#rules);
    const timeout = (this.#settings.timeout ?? AbortSignal.timeout)(limits.timeoutMs ?? TIMEOUT_MS);
    const signal = limits.signal ? AbortSignal.any([timeout, limits.signal]) : timeout;
    try {
      return await task(target, signal);
    } catch (error) {
      const reason = timeout.aborted ? 'timed_out' : 'no_valid_response';
      const refusal = error instanceof OutboundError ? error : invalidResponse(target.url.host, reason);
      const cause = causeOf(signal.aborted ? signal.reason : error);
      this.#settings.log.debug({ host: target.url.host, reason: refusal.reason, cause }, 'an outbound request failed');
      throw refusal;
    }
  }

  /** Sends one request on a connection of its own. */
  async #send<T>(target: Target, message: Message, signal: AbortSignal, read: (response: IncomingMessage) => Promise<T>): Promise<T> {
    const leave = this.#enter(target.host);
    try {
      const socket = await openConnection(target, { ...this.#settings, network: this.#settings.network ?? systemNetwork }, signal);
      try {
        return await read(await exchange(socket, target.url, message, signal));
      } finally {
        socket.destroy();
      }
    } finally {
      leave();
    }
  }

  #redirect({ url }: Target, location: string): Target {
    try {
      return readTarget(new URL(location, url).href, this.#rules);
    } catch (error) {
      throw new Error(`a redirect is refused: ${errorMessage(error)}`);
    }
  }

  /** Counts a request. @returns the function that ends it @throws OutboundError `busy` */
  #enter(host: string): () => void {
    const { maxRequests = 256, maxRequestsPerHost = 16 } = this.#settings;
    const running = this.#running.get(host) ?? 0;
    if (this.#total >= maxRequests || running >= maxRequestsPerHost) throw tooManyRequests();
    this.#total += 1;
    this.#running.set(host, running + 1);
    return () => {
      this.#total -= 1;
      const left = (this.#running.get(host) ?? 1) - 1;
      if (left === 0) this.#running.delete(host);
      else this.#running.set(host, left);
    };
  }
}

function redirectOf({ statusCode = 0, headers }: IncomingMessage): string | undefined {
  return REDIRECTS.has(statusCode) ? headers.location : undefined;
}

function causeOf(error: unknown): string {
  if (error instanceof OutboundError) return error.reason;
  // Node's error of several failed addresses has no message of its own.
  return error instanceof AggregateError ? error.errors.map(errorMessage).join('; ') : errorMessage(error);
}
