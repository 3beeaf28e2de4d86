import { unixSeconds } from '../../core/kernel/clock.ts';
import { isJsonObject, parseJson } from '../../core/kernel/json.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import type { EncryptionScheme } from '../../core/nostr/crypto-pool.ts';
import { type NostrEvent, readEvent } from '../../core/nostr/event.ts';
import { admit, type IgnoredReason, MAX_FUTURE_SECONDS, RecentIds, schemeOf } from './admission.ts';
import { NwcError } from './errors.ts';
import { LateRequests } from './late-requests.ts';
import { isMethod, ruleOf } from './methods.ts';
import type { AppRequest, NwcModules } from './modules.ts';
import type { Params } from './params.ts';
import type { Answered, MethodOutcome } from './responses.ts';
import type { ServedConnection } from './served-connections.ts';
import { countIn, type Serving } from './serving.ts';

/** Requests that read are of no use to an app that has given up. */
const MAX_READ_AGE_SECONDS = 600;
const READ_REMEMBERED_MS = 2 * MAX_READ_AGE_SECONDS * 1000;
/** A stored response is published again at most so often. */
const REPUBLISH_MS = 60_000;
/** Requests of all apps that are read at the same time. Those that wait for a payment do not count. */
const MAX_AT_ONCE = 100;
/** Requests that wait to be read, as after a restart, when a relay sends all that it has stored. */
const MAX_WAITING = 2000;
const MAX_ITEMS = 20;
const MAX_ITEM_ID_LENGTH = 100;
/** When a response that is not stored is published: its relay may just be reconnecting. */
const PUBLISHED_AFTER_MS = [0, 1000, 3000];

/** The order of a connection's requests. */
interface Turn {
  /** Resolves when the earlier requests have started. */
  readonly earlier: Promise<void>;
  onStarted(): void;
}

/** An event of an app, whose request is read in its turn. */
interface ArrivedEvent {
  readonly event: NostrEvent;
  readonly from: ServedConnection;
  readonly turn: Turn;
}

/** The request in an event. */
interface OpenedRequest {
  readonly method: string;
  readonly params: Params;
  readonly scheme: EncryptionScheme;
}

/** Receives the events of relays, and executes the requests in them. */
export class Inbox {
  readonly #serving: Serving;
  /** The ids of events whose requests wait or are being read. */
  readonly #reading = new Set<string>();
  /** Begins to read the request of an event; the oldest first. */
  readonly #waiting: (() => Promise<void>)[] = [];
  readonly #late: LateRequests;
  #running = 0;
  /** The ids of events that were answered without being stored. */
  readonly #answered = new RecentIds();
  readonly #republished = new RecentIds();
  /**
   * By the id of a connection: resolves when its requests so far have started. A lookup waits for it, because apps take NOT_FOUND for a failed
   * payment.
   */
  readonly #started = new Map<string, Promise<void>>();

  constructor(serving: Serving) {
    this.#serving = serving;
    this.#late = new LateRequests(serving);
  }

  /** Reads an event of a relay. Never throws. */
  receive(event: NostrEvent): void {
    const { served, maxAgeSeconds, modules } = this.#serving;
    if (this.#reading.has(event.id)) this.#ignore('duplicate');
    else if (this.#waiting.length >= MAX_WAITING) this.#ignore('too_many');
    else {
      const from = admit(event, served, { nowSeconds: unixSeconds(modules.clock), maxAgeSeconds });
      if (typeof from === 'string') this.#ignore(from);
      else this.#enqueue(event, from);
    }
  }

  #enqueue(event: NostrEvent, from: ServedConnection): void {
    const turn = this.#begin(from.connection.id);
    this.#reading.add(event.id);
    this.#queue({ event, from, turn }, false);
  }

  #queue(arrived: ArrivedEvent, isLate: boolean): void {
    this.#waiting.push(() => this.#read(arrived, isLate));
    this.#readNext();
  }

  #readNext(): void {
    while (this.#running < MAX_AT_ONCE) {
      const read = this.#waiting.shift();
      if (!read) return;
      this.#running += 1;
      void read().finally(() => {
        this.#running -= 1;
        this.#readNext();
      });
    }
  }

  /** Returns when the earlier requests of a connection have started, and what is called when this one has. */
  #begin(id: string): Turn {
    const earlier = this.#started.get(id) ?? Promise.resolve();
    const { promise, resolve: onStarted } = Promise.withResolvers<void>();
    const both = Promise.all([earlier, promise]).then(() => {
      if (this.#started.get(id) === both) this.#started.delete(id);
    });
    this.#started.set(id, both);
    return { earlier, onStarted };
  }

  async #read(arrived: ArrivedEvent, isLate: boolean): Promise<void> {
    const { event, from, turn } = arrived;
    const isPostponed = await this.#serveNew(arrived, isLate).catch((error) => {
      this.#serving.modules.log.warn(
        { connection: from.connection.id, reason: errorMessage(error) },
        'a request of an app was not answered',
      );
      return false;
    });
    if (isPostponed) return;
    this.#reading.delete(event.id);
    turn.onStarted();
  }

  /** Executes a request that was not executed before. @returns whether it was postponed instead, because the app has sent too many */
  async #serveNew(arrived: ArrivedEvent, isLate: boolean): Promise<boolean> {
    const { event, from, turn } = arrived;
    // Before the limit: after a restart, relays send what was executed before it.
    if (await this.#isStored(event, from)) return false;
    if (!isLate && !this.#late.take(from)) {
      const isPostponed = this.#late.add(from, () => this.#queue(arrived, true));
      if (!isPostponed) this.#ignore('too_many');
      return isPostponed;
    }
    await this.#serve(event, from, turn);
    return false;
  }

  /** Returns whether the request was executed before. Publishes its response again, if there is one. */
  async #isStored({ id }: Pick<NostrEvent, 'id'>, { connection }: ServedConnection): Promise<boolean> {
    const { requests, pool } = this.#serving;
    const stored = await requests.find(id);
    if (!stored) return false;
    this.#ignore('duplicate');
    const response = stored.response === null ? undefined : readEvent(parseJson(stored.response));
    if (response && !this.#republished.isRecent(id, REPUBLISH_MS)) void pool.publish(connection.relays, response);
    return true;
  }

  async #serve(event: NostrEvent, from: ServedConnection, turn: Turn): Promise<void> {
    const { executor } = this.#serving;
    const opened = await this.#open(event, from);
    if (!opened) return;
    const { method, params, scheme } = opened;
    if (!isMethod(method)) {
      await this.#refuse(from, { id: event.id, method, scheme }, new NwcError('NOT_IMPLEMENTED', `This service has no method ${method}.`));
      return;
    }
    const isReading = !ruleOf(method).isStored;
    if (isReading) turn.onStarted();
    const ignored = isReading ? this.#whyReadingIgnored(event) : this.#whyExecutionIgnored(event);
    if (ignored) {
      this.#ignore(ignored);
      return;
    }
    const request = await this.#authorize(from, { id: event.id, method, scheme, item: undefined, connection: from.connection });
    if (request instanceof NwcError) {
      if (isReading) await this.#respond(from, { id: event.id, method, scheme }, { error: request });
      else await this.#refuse(from, { id: event.id, method, scheme }, request);
    } else if (isReading) {
      if (method === 'lookup_invoice') await turn.earlier;
      await this.#publish(from, await executor.read(request, params));
    } else if (method === 'multi_pay_invoice') await this.#serveItems(from, request, params.invoices);
    else if (method === 'multi_pay_keysend') await this.#serveItems(from, request, params.keysends);
    else await executor.execute(request, params);
  }

  /** Returns the request in an event, after its signature was verified. Otherwise the event is ignored, or its app gets an error. */
  async #open(event: NostrEvent, from: ServedConnection): Promise<OpenedRequest | undefined> {
    const { connections, crypto, offersNip04 } = this.#serving;
    const scheme = schemeOf(event, offersNip04);
    const text = scheme && (await crypto.open({ event, secretKey: connections.serviceKeyOf(from.connection.id), scheme }));
    const body = text === undefined ? undefined : parseJson(text);
    if (scheme && isJsonObject(body) && typeof body.method === 'string')
      return { method: body.method.slice(0, 50), params: isJsonObject(body.params) ? body.params : {}, scheme };
    // Only the app gets an error, not someone who has forged an event.
    if (text === undefined && !(await crypto.verify(event))) {
      this.#ignore('invalid');
      return undefined;
    }
    const error = scheme
      ? new NwcError('BAD_REQUEST', 'The request cannot be decrypted, or is no JSON object with a method.')
      : new NwcError('UNSUPPORTED_ENCRYPTION', `This service supports ${offersNip04 ? 'nip44_v2 and nip04' : 'nip44_v2'}.`);
    await this.#refuse(from, { id: event.id, method: 'unknown', scheme: scheme ?? 'nip44_v2' }, error);
    return undefined;
  }

  /** Returns why a request that reads is not answered: its app does not wait any more, or has got the response. */
  #whyReadingIgnored({ id, created_at }: NostrEvent): IgnoredReason | undefined {
    if (created_at < unixSeconds(this.#serving.modules.clock) - MAX_READ_AGE_SECONDS) return 'too_old';
    return this.#answered.isRecent(id, READ_REMEMBERED_MS) ? 'duplicate' : undefined;
  }

  /** Returns why a request that pays or creates something is not executed: it may have been, before the database was restored. */
  #whyExecutionIgnored({ created_at }: NostrEvent): IgnoredReason | undefined {
    return this.#serving.forgottenUntil > 0 && created_at <= this.#serving.forgottenUntil + MAX_FUTURE_SECONDS
      ? 'before_restore'
      : undefined;
  }

  /** Returns the request with its key and wallet; an error if the connection has ended, or its permissions do not include the method. */
  async #authorize(from: ServedConnection, request: Omit<AppRequest, 'key' | 'wallet'>): Promise<AppRequest | NwcError> {
    const { accounts, keyring, keyUses, wallets } = this.#serving.modules;
    const { keyId, walletId, permissions } = from.connection;
    const [key, wallet] = await Promise.all([accounts.findValid(keyId), wallets.find(walletId)]);
    if (!key || !wallet) {
      const [listed] = await keyring.findMany([keyId]);
      if (listed?.status === 'expired') return new NwcError('EXPIRED', 'The connection has expired.');
      return new NwcError('UNAUTHORIZED', 'The connection was revoked.');
    }
    keyUses.record(key);
    const { permission } = ruleOf(request.method);
    if (permission === undefined || permissions.includes(permission)) return { ...request, key, wallet };
    return new NwcError('RESTRICTED', `The connection lacks the permission ${permission}.`);
  }

  /** Executes each item of a list as a request of its own, with its own response. */
  async #serveItems(from: ServedConnection, request: AppRequest, items: unknown): Promise<void> {
    const { executor, modules } = this.#serving;
    if (!Array.isArray(items) || items.length === 0 || items.length > MAX_ITEMS || !items.every(isJsonObject)) {
      const error = new NwcError('BAD_REQUEST', `The request must have a list of 1 to ${MAX_ITEMS} items.`);
      await executor.refuse(request, error);
      return;
    }
    const serveItem = async (params: Params, index: number) => {
      const id = `${request.id} ${index}`;
      if (!(await this.#isStored({ id }, from))) await executor.execute({ ...request, id, item: itemName(modules, params, index) }, params);
    };
    await Promise.all(items.map(serveItem));
  }

  /** Answers a request with an error that is stored. Otherwise it might be executed later, after a change of the service's settings. */
  #refuse({ connection }: ServedConnection, answered: Answered, error: NwcError): Promise<void> {
    return this.#serving.executor.refuse({ ...answered, item: undefined, connection }, error);
  }

  async #respond(to: ServedConnection, answered: Answered, outcome: MethodOutcome): Promise<void> {
    await this.#publish(to, await this.#serving.responses.respond(to.connection, answered, outcome));
  }

  /** Publishes a response that is not stored. */
  async #publish({ connection }: ServedConnection, event: NostrEvent): Promise<void> {
    for (const ms of PUBLISHED_AFTER_MS) {
      if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms).unref());
      if (await this.#serving.pool.publish(connection.relays, event)) return;
    }
  }

  #ignore(reason: IgnoredReason): void {
    countIn(this.#serving.counts.ignored, reason);
  }
}

/** Returns the id that the app gave an item, or else the payment hash of its invoice or its public key. */
function itemName({ payments }: NwcModules, { id, pubkey, invoice }: Params, index: number): string {
  if (isName(id)) return id;
  if (isName(pubkey)) return pubkey;
  try {
    return payments.readInvoice(String(invoice)).paymentHash;
  } catch {
    return String(index);
  }
}

function isName(value: unknown): value is string {
  // PostgreSQL cannot store NUL in text.
  return typeof value === 'string' && value.length <= MAX_ITEM_ID_LENGTH && value.isWellFormed() && !/^$|\0/.test(value);
}
