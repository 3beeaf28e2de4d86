import { limitEntries } from '../../core/kernel/limit-entries.ts';
import type { EncryptionScheme } from '../../core/nostr/crypto-pool.ts';
import { eventId, type NostrEvent, tagValue } from '../../core/nostr/event.ts';
import { KINDS } from './responses.ts';
import type { ServedConnection, ServedConnections } from './served-connections.ts';

/** Why an event is not read. Apps get no answer. */
export type IgnoredReason =
  | 'not_addressed'
  | 'wrong_author'
  | 'too_old'
  | 'before_restore'
  | 'in_future'
  | 'expired'
  | 'duplicate'
  | 'too_many'
  | 'too_large'
  | 'invalid';

const MAX_CONTENT_LENGTH = 90_000;
/** Otherwise a captured event could be kept for later. */
export const MAX_FUTURE_SECONDS = 60;

/** Checks an event before its signature, which takes a thousand times longer. */
export function admit(
  event: NostrEvent,
  served: ServedConnections,
  { relay, nowSeconds, maxAgeSeconds }: { readonly relay: string; readonly nowSeconds: number; readonly maxAgeSeconds: number },
): ServedConnection | IgnoredReason {
  const found = event.kind === KINDS.request ? served.find(tagValue(event, 'p') ?? '') : undefined;
  if (!found) return 'not_addressed';
  if (event.pubkey !== found.connection.clientPubkey) return 'wrong_author';
  if (event.created_at < nowSeconds - maxAgeSeconds) return 'too_old';
  if (event.created_at > nowSeconds + MAX_FUTURE_SECONDS) return 'in_future';
  // NIP-40.
  const expiration = Number(tagValue(event, 'expiration') ?? Number.POSITIVE_INFINITY);
  if (expiration <= nowSeconds) return 'expired';
  if (event.content.length > MAX_CONTENT_LENGTH) return 'too_large';
  if (!served.takeEvent(relay, found)) return 'too_many';
  // A relay that changes an event cannot keep its id.
  return eventId(event) === event.id ? found : 'invalid';
}

/** Returns the encryption of a request: without a tag it is NIP-04. Undefined: one that this service does not support. */
export function schemeOf(event: NostrEvent, offersNip04: boolean): EncryptionScheme | undefined {
  const name = tagValue(event, 'encryption') ?? 'nip04';
  if (name === 'nip44_v2') return name;
  return name === 'nip04' && offersNip04 ? name : undefined;
}

const REMEMBERED = 20_000;

/** Remembers the last ids, so that an event that arrives again is recognized without the database. */
export class RecentIds {
  /** When an id was last used, in milliseconds of the process; the oldest first. */
  readonly #ids = new Map<string, number>();

  /** Returns whether an id was used within the last `ms`, and otherwise records its use. */
  isRecent(id: string, ms: number): boolean {
    const now = performance.now();
    const usedMs = this.#ids.get(id);
    if (usedMs !== undefined && now - usedMs < ms) return true;
    this.#ids.delete(id);
    this.#ids.set(id, now);
    limitEntries(this.#ids, REMEMBERED);
    return false;
  }
}
