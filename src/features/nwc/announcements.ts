import { unixSeconds } from '../../core/kernel/clock.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import type { NostrEvent } from '../../core/nostr/event.ts';
import type { ServedConnection } from './served-connections.ts';
import type { Serving } from './serving.ts';

/** Relays delete info events after days. */
const RENEWED_SECONDS = 86_400;
/** The queue for signatures is bounded, and requests need it, too. */
const AT_ONCE = 20;

/** Publishes the events that say what apps can do (kind 13194), and withdraws those of revoked connections. */
export type Announcements = ReturnType<typeof createAnnouncements>;

export function createAnnouncements(serving: Serving) {
  const { modules, responses, served, pool, signal } = serving;
  /** By the id of the connection. */
  const signed = new Map<string, NostrEvent>();
  let running = Promise.resolve();

  async function infoOf({ connection }: ServedConnection): Promise<NostrEvent> {
    const known = signed.get(connection.id);
    if (known && known.created_at > unixSeconds(modules.clock) - RENEWED_SECONDS) return known;
    const event = await responses.inform(connection);
    signed.set(connection.id, event);
    return event;
  }

  async function announce(one: ServedConnection, urls: readonly string[]): Promise<void> {
    const { connection, revokedAt } = one;
    if (revokedAt === undefined) await pool.publish(urls, await infoOf(one));
    else if (signed.has(connection.id)) {
      await pool.publish(urls, await responses.withdraw(connection, signed.get(connection.id)?.id));
      signed.delete(connection.id);
    }
  }

  /** One after another, so that signatures for apps do not wait behind thousands of these. */
  function enqueue(work: () => Promise<void>): void {
    running = running.then(work).catch((error) => modules.log.warn({ reason: errorMessage(error) }, 'apps were not informed on a relay'));
  }

  async function announceAll(all: readonly ServedConnection[], urlsOf: (one: ServedConnection) => readonly string[]): Promise<void> {
    for (let first = 0; first < all.length && !signal.aborted; first += AT_ONCE)
      await Promise.all(all.slice(first, first + AT_ONCE).map((one) => announce(one, urlsOf(one))));
  }

  return {
    /** Announces the connections of a relay, on that relay. */
    onRelay: (url: string): void => enqueue(() => announceAll(served.ofRelay(url), () => [url])),

    /** Announces a connection that was created or revoked, on its relays. */
    onChange: (one: ServedConnection): void => enqueue(() => announce(one, one.connection.relays)),

    /** Announces connections again whose events are a day old. */
    renew(): void {
      const before = unixSeconds(modules.clock) - RENEWED_SECONDS;
      const old = Array.from(signed.values()).flatMap(({ pubkey, created_at }) =>
        created_at <= before ? (served.find(pubkey) ?? []) : [],
      );
      if (old.length > 0) enqueue(() => announceAll(old, ({ connection }) => connection.relays));
    },
  };
}
