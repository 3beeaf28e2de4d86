import { isJsonObject, parseJson } from '../kernel/json.ts';
import { shownReason } from '../kernel/shown-text.ts';
import type { NostrCrypto } from './crypto-pool.ts';
import { isHex, type NostrEvent, readEvent } from './event.ts';
import type { RelayFilter } from './filters.ts';
import { type OpenSocket, openWebSocket, type WebSocketConnection } from './websocket.ts';

/** A relay's answer to a published event: the OK message of NIP-01. */
export interface PublishResult {
  readonly accepted: boolean;
  /** The reason, which begins with a word such as `blocked:` or `rate-limited:` if the event was refused. At most 200 characters. */
  readonly message: string;
}

/** The relay is not connected, or the connection ended or the time passed before its answer. The relay may have the event. */
export class RelayUnavailable extends Error {
  override readonly name = 'RelayUnavailable';
}

/** The keys that a relay shall accept if it requires authentication (NIP-42). */
export interface RelayAuthentication {
  readonly crypto: Pick<NostrCrypto, 'sign'>;
  keys(): readonly Uint8Array[];
}

export interface SessionOptions {
  readonly url: URL;
  /** Ends the connection. */
  readonly signal: AbortSignal;
  readonly openSocket: OpenSocket | undefined;
  readonly authentication: RelayAuthentication | undefined;
  readonly timing: RelayTiming;
  onEvent(requestId: string, event: NostrEvent): void;
  /** The relay has sent all stored events of a request. */
  onStored(requestId: string): void;
}

export interface RelayTiming {
  readonly connectMs: number;
  /** The time for the relay's answer to an event. */
  readonly answerMs: number;
  /** The time for the stored events of a request. */
  readonly storedMs: number;
  /** The connection is tested after so long without a message. */
  readonly idleMs: number;
  /** The most messages that are read within `busyMs`. A relay passes on what anyone sends. */
  readonly maxMessages: number;
  readonly busyMs: number;
  readonly minBackoffMs: number;
  readonly maxBackoffMs: number;
}

/** A message with an event of 64 KiB whose characters are escaped. */
const LIMITS = { maxMessageBytes: 262_144, maxUnsentBytes: 4_194_304 };
const MAX_UNANSWERED = 2000;
const MAX_CHALLENGE_LENGTH = 1000;
const AUTH_KIND = 22_242;
/** A signature takes 2 ms, and the queue for them is bounded. */
const KEYS_AT_ONCE = 100;
const HEARTBEAT = 'heartbeat';
/** No event has this id, so the request costs the relay almost nothing. */
const HEARTBEAT_FILTER: RelayFilter = { ids: ['0'.repeat(64)], limit: 0 };

interface OpenRequest {
  readonly text: string;
  /** It was sent again after authentication. */
  isRepeated: boolean;
  /** Ends the connection if the relay does not answer. */
  readonly timer: NodeJS.Timeout;
}

interface Unanswered {
  readonly result: Promise<PublishResult>;
  resolve(result: PublishResult): void;
  reject(error: Error): void;
}

/** One connection to a relay, from its opening to its end. */
export class RelaySession {
  readonly #options: SessionOptions;
  readonly #socket: WebSocketConnection;
  readonly #end = Promise.withResolvers<Error>();
  readonly #requests = new Map<string, OpenRequest>();
  readonly #unanswered = new Map<string, Unanswered>();
  #challenge: string | undefined;
  #authentication: Promise<void> | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  /** When the relay has sent its last message, or was connected. Unix seconds. */
  heardAt = unixNow();
  #busySinceMs = 0;
  #messages = 0;

  private constructor(options: SessionOptions, socket: WebSocketConnection) {
    this.#options = options;
    this.#socket = socket;
    this.#restartIdleTimer();
  }

  /** Connects. @throws Error with the cause, for the log */
  static async open(options: SessionOptions): Promise<RelaySession> {
    const signal = AbortSignal.any([options.signal, AbortSignal.timeout(options.timing.connectMs)]);
    const session = new RelaySession(options, await openWebSocket(options.url, { open: options.openSocket, signal, ...LIMITS }));
    session.#socket.listen({
      onText: (text) => session.#read(text),
      onEnd: (error) => session.#stop(error ?? new Error('the relay closed the connection')),
    });
    return session;
  }

  /** Resolves with the reason once the connection has ended. */
  get ended(): Promise<Error> {
    return this.#end.promise;
  }

  /** Requests the events of filters. A request with the same id is replaced. */
  request(id: string, filters: readonly RelayFilter[]): void {
    const text = JSON.stringify(['REQ', id, ...filters]);
    clearTimeout(this.#requests.get(id)?.timer);
    const timer = setTimeout(() => this.close(new Error('the relay does not answer a request')), this.#options.timing.storedMs).unref();
    this.#requests.set(id, { text, isRepeated: false, timer });
    this.#socket.send(text);
  }

  endRequest(id: string): void {
    clearTimeout(this.#requests.get(id)?.timer);
    if (this.#requests.delete(id)) this.#socket.send(JSON.stringify(['CLOSE', id]));
  }

  /** Publishes an event. Authenticates if the relay requires it. @throws RelayUnavailable */
  async publish(event: NostrEvent): Promise<PublishResult> {
    const first = await this.#sendEvent('EVENT', event);
    if (first.accepted || !first.message.startsWith('auth-required:') || !this.#options.authentication) return first;
    await this.#authenticate();
    return this.#sendEvent('EVENT', event);
  }

  close(error: Error): void {
    this.#stop(error);
    this.#socket.end();
  }

  #sendEvent(type: 'EVENT' | 'AUTH', event: NostrEvent): Promise<PublishResult> {
    const running = this.#unanswered.get(event.id);
    if (running) return running.result;
    if (this.#unanswered.size >= MAX_UNANSWERED) throw new RelayUnavailable('too many events wait for an answer of the relay');
    const { promise, resolve, reject } = Promise.withResolvers<PublishResult>();
    const timer = setTimeout(() => reject(new RelayUnavailable('the relay did not answer in time')), this.#options.timing.answerMs);
    const result = promise.finally(() => {
      clearTimeout(timer);
      this.#unanswered.delete(event.id);
    });
    this.#unanswered.set(event.id, { result, resolve, reject });
    this.#socket.send(JSON.stringify([type, event]));
    return result;
  }

  /** Answers the challenge of the relay once, for all keys. @throws RelayUnavailable */
  #authenticate(): Promise<void> {
    this.#authentication ??= this.#answerChallenge();
    return this.#authentication;
  }

  async #answerChallenge(): Promise<void> {
    const { authentication, url } = this.#options;
    const challenge = this.#challenge;
    if (!authentication || challenge === undefined) throw new RelayUnavailable('the relay requires authentication, which is not possible');
    const tags = [
      ['relay', url.href],
      ['challenge', challenge],
    ];
    const answer = async (key: Uint8Array) => {
      const template = { kind: AUTH_KIND, created_at: unixNow(), tags, content: '' };
      const { accepted, message } = await this.#sendEvent('AUTH', await authentication.crypto.sign(template, key));
      if (!accepted) throw new RelayUnavailable(`the relay refuses the authentication: ${message}`);
    };
    const keys = authentication.keys();
    for (let first = 0; first < keys.length; first += KEYS_AT_ONCE) await Promise.all(keys.slice(first, first + KEYS_AT_ONCE).map(answer));
  }

  #read(text: string): void {
    this.heardAt = unixNow();
    this.#restartIdleTimer();
    this.#limitRate();
    const message = parseJson(text);
    if (!Array.isArray(message)) return;
    const [type, first, second, third] = message as unknown[];
    if (typeof first !== 'string') return;
    if (type === 'EVENT') this.#readEvent(first, second);
    else if (type === 'EOSE') this.#endStored(first);
    else if (type === 'CLOSED') this.#endClosed(first, shownReason(second));
    else if (type === 'OK' && isHex(first, 64))
      this.#unanswered.get(first)?.resolve({ accepted: second === true, message: shownReason(third) });
    else if (type === 'AUTH') this.#takeChallenge(first);
  }

  #readEvent(requestId: string, value: unknown): void {
    if (!this.#requests.has(requestId) || !isJsonObject(value)) return;
    const event = readEvent(value);
    if (event) this.#options.onEvent(requestId, event);
  }

  #endStored(requestId: string): void {
    if (requestId === HEARTBEAT) this.#socket.send(JSON.stringify(['CLOSE', HEARTBEAT]));
    const request = this.#requests.get(requestId);
    if (!request) return;
    clearTimeout(request.timer);
    this.#options.onStored(requestId);
  }

  /** Repeats a request that needs authentication. Any other end of a request ends the connection: the next one begins after a pause. */
  #endClosed(requestId: string, reason: string): void {
    const request = this.#requests.get(requestId);
    if (!request) return;
    if (!reason.startsWith('auth-required:') || request.isRepeated || !this.#options.authentication) {
      this.close(new Error(`the relay closed a subscription: ${reason}`));
      return;
    }
    request.isRepeated = true;
    this.#authenticate().then(
      () => this.#requests.get(requestId) === request && this.#socket.send(request.text),
      (error: Error) => this.close(error),
    );
  }

  /** A later challenge replaces the first one. */
  #takeChallenge(challenge: string): void {
    if (challenge.length > MAX_CHALLENGE_LENGTH) return;
    this.#challenge = challenge;
    this.#authentication = undefined;
  }

  /** Stops reading for the rest of the period after too many messages, so that the relay must wait. */
  #limitRate(): void {
    const { maxMessages, busyMs } = this.#options.timing;
    const now = performance.now();
    if (now - this.#busySinceMs >= busyMs) {
      this.#busySinceMs = now;
      this.#messages = 0;
    }
    this.#messages += 1;
    if (this.#messages === maxMessages) this.#socket.pauseReading(this.#busySinceMs + busyMs - now);
  }

  #restartIdleTimer(): void {
    const { idleMs, answerMs } = this.#options.timing;
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      this.#idleTimer = setTimeout(() => this.close(new Error('the relay sends no messages')), answerMs);
      this.#socket.send(JSON.stringify(['REQ', HEARTBEAT, HEARTBEAT_FILTER]));
    }, idleMs);
  }

  #stop(error: Error): void {
    clearTimeout(this.#idleTimer);
    for (const { timer } of this.#requests.values()) clearTimeout(timer);
    this.#end.resolve(error);
    for (const { reject } of this.#unanswered.values()) reject(new RelayUnavailable('the connection to the relay ended', { cause: error }));
  }
}

/** Returns the time in seconds. */
export function unixNow(): number {
  return Math.floor(Date.now() / 1000);
}
