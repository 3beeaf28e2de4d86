import { withBookingMark } from '../../core/kernel/booking-mark.ts';
import { unixSeconds } from '../../core/kernel/clock.ts';
import { isJsonObject, parseJson } from '../../core/kernel/json.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { EncryptionScheme } from '../../core/nostr/crypto-pool.ts';
import { type NostrEvent, readEvent } from '../../core/nostr/event.ts';
import { FairQueue } from '../../http/limits/fair-queue.ts';
import { admit, type IgnoredReason, MAX_FUTURE_SECONDS, RecentIds, schemeOf } from './admission.ts';
import { NwcError } from './errors.ts';
import { LateRequests } from './late-requests.ts';
import { isMethod, ruleOf } from './methods.ts';
import type { AppRequest, NwcModules } from './modules.ts';
import { inexactMetadata, type Params } from './params.ts';
import { RequestTurns } from './request-turns.ts';
import type { Answered, MethodOutcome } from './responses.ts';
import type { ServedConnection } from './served-connections.ts';
import { countIn, type Serving } from './serving.ts';

/** Requests that read are of no use to an app that has given up. */
const MAX_READ_AGE_SECONDS = 600;
const READ_REMEMBERED_MS = 2 * MAX_READ_AGE_SECONDS * 1000;
/** A stored response is published again at most so often. */
const REPUBLISH_MS = 60_000;
/**
 * Events that are verified and decrypted at the same time, and those that may wait for it, as after a restart, when a relay sends all that it has
 * stored. Relays take turns, so that forged events of one do not delay those of another one; then accounts, and their apps.
 */
const MAX_OPENING = 8;
const MAX_WAITING = 10_000;
/** Their contents together, of each relay: 90 kB for each would fill the memory. */
const MAX_WAITING_LENGTH = 20_000_000;
/** Requests that are executed at the same time. Those that wait for a payment do not count. */
const AT_ONCE = { total: 100, ofAccount: 8 };
/** Requests of one account that wait to be executed. Further ones are rejected. */
const MAX_WAITING_OF_ACCOUNT = 1000;
/** Responses to requests that read that wait for a relay. */
const MAX_PUBLISHING = 1000;
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

/** An event of an app that is addressed to the service. */
interface ArrivedEvent {
  readonly event: NostrEvent;
  readonly from: ServedConnection;
  readonly turn: Turn;
  /** The URL of the relay that has sent it. */
  readonly relay: string;
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
  /**
   * The ids and signatures of events whose requests wait or are being executed. A relay may send a copy with another signature, which must not hide the
   * event of another relay.
   */
  readonly #reading = new Set<string>();
  readonly #opening = new FairQueue({ maxAtOnce: MAX_OPENING, maxWaiting: MAX_WAITING, full: () => new Refusal('rate_limited') });
  /** The length of the contents that wait, by relay. */
  readonly #waitingLength = new Map<string, number>();
  readonly #turns = new RequestTurns(AT_ONCE);
  readonly #late: LateRequests;
  #publishing = 0;
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
  receive(event: NostrEvent, relay: string): void {
    const { served, maxAgeSeconds, modules } = this.#serving;
    const key = `${event.id} ${event.sig}`;
    const length = (this.#waitingLength.get(relay) ?? 0) + event.content.length;
    if (this.#reading.has(key)) this.#ignore('duplicate');
    else if (length > MAX_WAITING_LENGTH) this.#ignore('too_many');
    else {
      const from = admit(event, served, { relay, nowSeconds: unixSeconds(modules.clock), maxAgeSeconds });
      if (typeof from === 'string') {
        this.#ignore(from);
        return;
      }
      const turn = this.#begin(from.connection.id);
      this.#reading.add(key);
      this.#waitingLength.set(relay, length);
      void this.#read({ event, from, turn, relay }).finally(() => {
        this.#reading.delete(key);
        turn.onStarted();
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

  /** Opens the request in an event, and executes it in the turn of its account. Never throws. */
  async #read({ event, from, turn, relay }: ArrivedEvent): Promise<void> {
    const { modules } = this.#serving;
    const { id, accountId } = from.connection;
    try {
      const opened = await this.#opening
        .run({ groups: [relay, accountId, id] }, async () => this.#openNew(event, from))
        .finally(() => {
          this.#waitingLength.set(relay, (this.#waitingLength.get(relay) ?? 0) - event.content.length);
        });
      if (!opened) return;
      if (!(await this.#late.wait(from)) || this.#isFull(accountId)) {
        await this.#refuseBusy(event, from, opened);
        return;
      }
      // Long reads are done in turns of the account, too.
      const serve = () => withBookingMark({ mayHaveBooked: false, accountId }, () => this.#serve(event, from, turn, opened));
      await this.#turns.run(accountId, serve);
    } catch (error) {
      if (error instanceof Refusal && error.type === 'rate_limited') this.#ignore('too_many');
      else modules.log.warn({ connection: id, reason: errorMessage(error) }, 'a request of an app was not answered');
    }
  }

  /** Returns the request in an event that was not executed before. Rejects it if too many of its app or account wait. */
  async #openNew(event: NostrEvent, from: ServedConnection): Promise<OpenedRequest | undefined> {
    // Before the signature is checked: after a restart, relays send what was executed before it.
    if (await this.#isStored(event, from)) return undefined;
    const opened = await this.#open(event, from);
    if (!opened) return undefined;
    await this.#serving.served.storeScheme(from.connection, opened.scheme);
    if (!this.#isFull(from.connection.accountId) && this.#late.hasRoom(from)) return opened;
    await this.#refuseBusy(event, from, opened);
    return undefined;
  }

  #isFull(accountId: string): boolean {
    return this.#turns.countWaiting(accountId) >= MAX_WAITING_OF_ACCOUNT;
  }

  async #refuseBusy(event: NostrEvent, from: ServedConnection, { method, scheme }: OpenedRequest): Promise<void> {
    const error = new NwcError('RATE_LIMITED', 'Too many requests of this app wait. Nothing was done. Send the request again later.');
    // A refusal of a request that reads need not be stored.
    if (isMethod(method) && !ruleOf(method).isStored) await this.#respond(from, { id: event.id, method, scheme }, { error });
    else await this.#refuse(from, { id: event.id, method, scheme }, error);
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

  async #serve(event: NostrEvent, from: ServedConnection, turn: Turn, { method, params, scheme }: OpenedRequest): Promise<void> {
    const { executor } = this.#serving;
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
      this.#publish(from, await executor.read(request, params));
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
    if (scheme && text !== undefined && isJsonObject(body) && typeof body.method === 'string') {
      const method = body.method.slice(0, 50);
      const inexact = inexactMetadata(text);
      if (inexact === undefined) return { method, params: isJsonObject(body.params) ? body.params : {}, scheme };
      await this.#refuse(from, { id: event.id, method, scheme }, inexact);
      return undefined;
    }
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
    const { executor, modules, served } = this.#serving;
    if (!Array.isArray(items) || items.length === 0 || items.length > MAX_ITEMS || !items.every(isJsonObject)) {
      const error = new NwcError('BAD_REQUEST', `The request must have a list of 1 to ${MAX_ITEMS} items.`);
      await executor.refuse(request, error);
      return;
    }
    // Each counts as a request.
    for (let taken = 1; taken < items.length; taken += 1) served.takeRequest(from);
    for (const [index, params] of items.entries()) {
      const id = `${request.id} ${index}`;
      if (!(await this.#isStored({ id }, from))) await executor.execute({ ...request, id, item: itemName(modules, params, index) }, params);
    }
  }

  /** Answers a request with an error that is stored. Otherwise it might be executed later, after a change of the service's settings. */
  #refuse({ connection }: ServedConnection, answered: Answered, error: NwcError): Promise<void> {
    return this.#serving.executor.refuse({ ...answered, item: undefined, connection }, error);
  }

  async #respond(to: ServedConnection, answered: Answered, outcome: MethodOutcome): Promise<void> {
    this.#publish(to, await this.#serving.responses.respond(to.connection, answered, outcome));
  }

  /** Publishes a response that is not stored. Nothing waits for it: a relay may take long to answer. */
  #publish({ connection }: ServedConnection, event: NostrEvent): void {
    if (this.#publishing >= MAX_PUBLISHING) {
      this.#ignore('too_many');
      return;
    }
    this.#publishing += 1;
    void this.#publishUntilAccepted(connection.relays, event).finally(() => {
      this.#publishing -= 1;
    });
  }

  async #publishUntilAccepted(relays: readonly string[], event: NostrEvent): Promise<void> {
    for (const ms of PUBLISHED_AFTER_MS) {
      if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms).unref());
      if (await this.#serving.pool.publish(relays, event)) return;
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
