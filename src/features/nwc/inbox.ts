import { unixSeconds } from '../../core/kernel/clock.ts';
import { isJsonObject, parseJson } from '../../core/kernel/json.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import type { EncryptionScheme } from '../../core/nostr/crypto-pool.ts';
import { type NostrEvent, readEvent } from '../../core/nostr/event.ts';
import { admit, type IgnoredReason, MAX_FUTURE_SECONDS, RecentIds, schemeOf } from './admission.ts';
import { NwcError } from './errors.ts';
import { isMethod, ruleOf } from './methods.ts';
import type { AppRequest } from './modules.ts';
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
const MAX_AT_ONCE = 500;
const MAX_ITEMS = 20;
const MAX_ITEM_ID_LENGTH = 100;
/** When a response that is not stored is published: its relay may just be reconnecting. */
const PUBLISHED_AFTER_MS = [0, 1000, 3000];

/** The request in an event. */
interface OpenedRequest {
  readonly method: string;
  readonly params: Params;
  readonly scheme: EncryptionScheme;
}

/** Receives the events of relays, and executes the requests in them. */
export class Inbox {
  readonly #serving: Serving;
  /** The ids of events whose requests are being read. */
  readonly #reading = new Set<string>();
  /** The ids of events that were answered without being stored. */
  readonly #answered = new RecentIds();
  readonly #republished = new RecentIds();

  constructor(serving: Serving) {
    this.#serving = serving;
  }

  /** Reads an event of a relay. Never throws. */
  receive(event: NostrEvent): void {
    const { served, maxAgeSeconds, modules } = this.#serving;
    if (this.#reading.has(event.id)) this.#ignore('duplicate');
    else if (this.#reading.size >= MAX_AT_ONCE) this.#ignore('too_many');
    else {
      const from = admit(event, served, { nowSeconds: unixSeconds(modules.clock), maxAgeSeconds });
      if (typeof from === 'string') this.#ignore(from);
      else void this.#read(event, from);
    }
  }

  async #read(event: NostrEvent, from: ServedConnection): Promise<void> {
    this.#reading.add(event.id);
    try {
      if (!(await this.#isStored(event, from))) await this.#serve(event, from);
    } catch (error) {
      this.#serving.modules.log.warn(
        { connection: from.connection.id, reason: errorMessage(error) },
        'a request of an app was not answered',
      );
    } finally {
      this.#reading.delete(event.id);
    }
  }

  /** Returns whether the request was executed before. Publishes its response again, if there is one. */
  async #isStored(event: NostrEvent, { connection }: ServedConnection): Promise<boolean> {
    const { requests, pool } = this.#serving;
    const stored = await requests.find(event.id);
    if (!stored) return false;
    this.#ignore('duplicate');
    const response = stored.response === null ? undefined : readEvent(parseJson(stored.response));
    if (response && !this.#republished.isRecent(event.id, REPUBLISH_MS)) await pool.publish(connection.relays, response);
    return true;
  }

  async #serve(event: NostrEvent, from: ServedConnection): Promise<void> {
    const opened = await this.#open(event, from);
    if (!opened) return;
    const { method, params, scheme } = opened;
    if (!isMethod(method)) {
      const error = new NwcError('NOT_IMPLEMENTED', `This service has no method ${method}.`);
      await this.#respond(from, { id: event.id, method, scheme }, { error });
      return;
    }
    const isReading = !ruleOf(method).isStored;
    const ignored = isReading ? this.#whyReadingIgnored(event) : this.#whyExecutionIgnored(event);
    if (ignored) {
      this.#ignore(ignored);
      return;
    }
    const request = await this.#authorize(from, { id: event.id, method, scheme, item: undefined, connection: from.connection });
    if (request instanceof NwcError) await this.#respond(from, { id: event.id, method, scheme }, { error: request });
    else if (isReading) await this.#publish(from, await this.#serving.executor.read(request, params));
    else if (method === 'multi_pay_invoice') await this.#serveItems(from, request, params.invoices);
    else if (method === 'multi_pay_keysend') await this.#serveItems(from, request, params.keysends);
    // It may wait for the end of a payment, so nothing waits for it.
    else void this.#serving.executor.execute(request, params);
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
    await this.#respond(from, { id: event.id, method: 'unknown', scheme: scheme ?? 'nip44_v2' }, { error });
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
    const { requests, executor } = this.#serving;
    if (!Array.isArray(items) || items.length === 0 || items.length > MAX_ITEMS || !items.every(isJsonObject)) {
      const error = new NwcError('BAD_REQUEST', `The request must have a list of 1 to ${MAX_ITEMS} items.`);
      await this.#respond(from, request, { error });
      return;
    }
    for (const [index, params] of items.entries()) {
      const id = `${request.id} ${index}`;
      if (!(await requests.find(id))) void executor.execute({ ...request, id, item: itemId(params, index) }, params);
    }
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

/** Returns what names an item in its response: the id that the app gave it, or the payment hash or the public key. */
function itemId(params: Params, index: number): string {
  for (const name of ['id', 'payment_hash', 'pubkey']) {
    const value = params[name];
    if (typeof value === 'string' && value !== '') return value.slice(0, MAX_ITEM_ID_LENGTH);
  }
  return String(index);
}
