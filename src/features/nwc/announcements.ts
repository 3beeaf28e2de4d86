import { areHoldsStopped } from '../../core/invoices/hold-switch.ts';
import { unixSeconds } from '../../core/kernel/clock.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import type { NostrEvent } from '../../core/nostr/event.ts';
import type { HoldOffer } from './methods.ts';
import type { ServedConnection } from './served-connections.ts';
import type { Serving } from './serving.ts';

/** Relays delete info events after days. */
const RENEWED_SECONDS = 86_400;
/** The queue for signatures is bounded, and requests need it, too. */
const AT_ONCE = 20;

interface Signed {
  readonly event: NostrEvent;
  /** The offer about hold invoices in it. */
  readonly holds: string;
}

/**
 * Publishes the events that say what apps can do (kind 13194), and withdraws those of revoked connections. They change when a node is reached that
 * has hold invoices, and when an operator stops or allows these.
 */
export type Announcements = ReturnType<typeof createAnnouncements>;

export function createAnnouncements(serving: Serving) {
  const { modules, responses, served, pool, signal } = serving;
  /** By the id of the connection. */
  const signed = new Map<string, Signed>();
  let running = Promise.resolve();

  async function readHoldOffer(): Promise<HoldOffer> {
    const hasHoldInvoices = modules.connections.all.some((node) => node.info()?.capabilities.holdInvoices === true);
    return { hasHoldInvoices, areHoldsStopped: await areHoldsStopped(modules.database) };
  }

  function isCurrent({ event, holds }: Signed, offer: HoldOffer): boolean {
    return event.created_at > unixSeconds(modules.clock) - RENEWED_SECONDS && holds === JSON.stringify(offer);
  }

  async function infoOf({ connection }: ServedConnection, offer: HoldOffer): Promise<NostrEvent> {
    const known = signed.get(connection.id);
    if (known && isCurrent(known, offer)) return known.event;
    const event = await responses.inform(connection, offer);
    signed.set(connection.id, { event, holds: JSON.stringify(offer) });
    return event;
  }

  async function announce(one: ServedConnection, urls: readonly string[], offer: HoldOffer): Promise<void> {
    const { connection, revokedAt } = one;
    if (revokedAt === undefined) await pool.publish(urls, await infoOf(one, offer));
    else if (signed.has(connection.id)) {
      await pool.publish(urls, await responses.withdraw(connection, signed.get(connection.id)?.event.id));
      signed.delete(connection.id);
    }
  }

  /** One after another, so that signatures for apps do not wait behind thousands of these. */
  function enqueue(work: () => Promise<void>): void {
    running = running.then(work).catch((error) => modules.log.warn({ reason: errorMessage(error) }, 'apps were not informed on a relay'));
  }

  async function announceAll(all: readonly ServedConnection[], urlsOf: (one: ServedConnection) => readonly string[]): Promise<void> {
    const offer = await readHoldOffer();
    for (let first = 0; first < all.length && !signal.aborted; first += AT_ONCE)
      await Promise.all(all.slice(first, first + AT_ONCE).map((one) => announce(one, urlsOf(one), offer)));
  }

  return {
    /** Announces the connections of a relay, on that relay. */
    onRelay: (url: string): void => enqueue(() => announceAll(served.ofRelay(url), () => [url])),

    /** Announces a connection that was created or revoked, on its relays. */
    onChange: (one: ServedConnection): void => enqueue(() => announceAll([one], ({ connection }) => connection.relays)),

    /** Announces connections again whose events are a day old, or say something else than is offered now. */
    async renew(): Promise<void> {
      if (signed.size === 0) return;
      const offer = await readHoldOffer();
      const old = Array.from(signed.values()).flatMap((one) => (isCurrent(one, offer) ? [] : (served.find(one.event.pubkey) ?? [])));
      if (old.length > 0) enqueue(() => announceAll(old, ({ connection }) => connection.relays));
    },
  };
}
