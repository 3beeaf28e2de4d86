import type { EncryptionScheme } from '../../core/nostr/crypto-pool.ts';
import { TokenBuckets } from '../../http/limits/token-buckets.ts';
import type { Connection, Connections } from './connections.ts';

/** A connection whose requests are read. */
export interface ServedConnection {
  readonly connection: Connection;
  /** Unix seconds. The app of a revoked connection is told so for some time. */
  readonly revokedAt: number | undefined;
}

const PAGE = 1000;
/** How long apps of revoked connections get the error UNAUTHORIZED. */
export const TOLD_SECONDS = 30 * 86_400;
/**
 * Events of one app per second that one relay may send, and the burst: after a restart, relays send those of ten minutes at once. Each is looked up in
 * the database, and its signature is checked in 2 ms. Each relay has its own count, because one may send forged events.
 */
const EVENT_RATE = { perSecond: 100, burst: 5000 };
/** Requests of one app per second, and the burst. Those that are forged or were executed before do not count. */
const REQUEST_RATE = { perSecond: 20, burst: 500 };
const MAX_BUCKETS = 100_000;

/** The connections in memory, by the public keys to which their requests are addressed. */
export class ServedConnections {
  readonly #connections: Connections;
  readonly #byPubkey = new Map<string, ServedConnection>();
  readonly #byWallet = new Map<string, Set<ServedConnection>>();
  /** The events of each connection, by relay and id. */
  readonly #events = new TokenBuckets(EVENT_RATE, MAX_BUCKETS, () => performance.now());
  /** Those that have changed since the connection was read. */
  readonly #schemes = new Map<string, EncryptionScheme>();
  readonly #requests = new TokenBuckets(REQUEST_RATE, MAX_BUCKETS, () => performance.now());

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  get size(): number {
    return this.#byPubkey.size;
  }

  /** Reads all connections. */
  async load(nowSeconds: number): Promise<void> {
    for (let after = ''; ; ) {
      const page = await this.#connections.listServed(after, PAGE, nowSeconds - TOLD_SECONDS);
      for (const { connection, revokedAt } of page) this.#put(connection, revokedAt);
      after = page.at(-1)?.connection.id ?? after;
      if (page.length < PAGE) return;
    }
  }

  /** Adds the connection of a new key, or marks that of a revoked one. @returns it; undefined if the key has none */
  async update(keyId: string, revokedAt: number | undefined): Promise<ServedConnection | undefined> {
    const connection = await this.#connections.ofKey(keyId);
    return connection && this.#put(connection, revokedAt);
  }

  find(servicePubkey: string): ServedConnection | undefined {
    return this.#byPubkey.get(servicePubkey);
  }

  /** Takes one of the events of an app that a relay may send. @returns false if there are too many */
  takeEvent(relay: string, { connection }: ServedConnection): boolean {
    return this.#events.takeToken(`${relay} ${connection.id}`);
  }

  /** Takes one of the requests that an app may send. @returns false if it sends too many */
  takeRequest({ connection }: ServedConnection): boolean {
    return this.#requests.takeToken(connection.id);
  }

  /** Returns the encryption of the last request of an app; undefined before the first one. */
  schemeOf({ id, scheme }: Connection): EncryptionScheme | undefined {
    return this.#schemes.get(id) ?? scheme;
  }

  /** Stores the encryption of a request. */
  async storeScheme(connection: Connection, scheme: EncryptionScheme): Promise<void> {
    if (this.schemeOf(connection) === scheme) return;
    this.#schemes.set(connection.id, scheme);
    await this.#connections.storeScheme(connection.id, scheme);
  }

  /** Returns the connections of a wallet that are not revoked. */
  ofWallet(walletId: string): ServedConnection[] {
    return Array.from(this.#byWallet.get(walletId) ?? []).filter(({ revokedAt }) => revokedAt === undefined);
  }

  /** Returns the connections that use a relay. */
  ofRelay(url: string): ServedConnection[] {
    return Array.from(this.#byPubkey.values()).filter(({ connection }) => connection.relays.includes(url));
  }

  relays(): Set<string> {
    return new Set(Array.from(this.#byPubkey.values()).flatMap(({ connection }) => connection.relays));
  }

  #put(connection: Connection, revokedAt: number | undefined): ServedConnection {
    const known = this.#byPubkey.get(connection.servicePubkey);
    const served = { connection, revokedAt };
    this.#byPubkey.set(connection.servicePubkey, served);
    const ofWallet = this.#byWallet.get(connection.walletId) ?? new Set();
    if (known) ofWallet.delete(known);
    this.#byWallet.set(connection.walletId, ofWallet.add(served));
    return served;
  }
}
