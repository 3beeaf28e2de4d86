import type { NostrCrypto } from '../../core/nostr/crypto-pool.ts';
import type { RelayTiming } from '../../core/nostr/relay.ts';
import type { IgnoredReason } from './admission.ts';
import type { Connections } from './connections.ts';
import type { Executor } from './execute.ts';
import type { NwcModules } from './modules.ts';
import type { RelayPool } from './relay-pool.ts';
import type { RequestStore } from './requests.ts';
import type { Responses } from './responses.ts';
import type { ServedConnections } from './served-connections.ts';

/** The waits of the service. Tests shorten them. */
export interface NwcTiming {
  readonly relay?: Partial<RelayTiming>;
  /** Between two looks at payments that have ended, and at tasks of other instances. */
  readonly pollMs?: number;
  /** Between two looks at the relays. */
  readonly checkMs?: number;
  /** How long a relay that is not subscribed has sent nothing before it raises an alert. */
  readonly awaySeconds?: number;
}

export interface NwcServiceOptions {
  readonly modules: NwcModules;
  readonly connections: Connections;
  readonly requests: RequestStore;
  readonly crypto: NostrCrypto;
  /** Whether NIP-04 is offered beside NIP-44. */
  readonly offersNip04: boolean;
  /** Older requests that pay or create something are ignored. */
  readonly maxAgeSeconds: number;
  readonly timing?: NwcTiming | undefined;
}

/** What the service has done since the start of the process. */
export interface NwcCounts {
  readonly ignored: Map<IgnoredReason, number>;
  /** By the method and `result` or the code of the error. */
  readonly answered: Map<string, number>;
  /** Notifications that were not sent, because too many of their app waited. */
  droppedNotifications: number;
}

/** What the parts of the running service share. */
export interface Serving extends NwcServiceOptions {
  readonly counts: NwcCounts;
  readonly served: ServedConnections;
  readonly pool: RelayPool;
  readonly responses: Responses;
  readonly executor: Executor;
  readonly signal: AbortSignal;
  /** Unix seconds. What earlier requests have paid may be forgotten, since the database was restored. */
  readonly forgottenUntil: number;
}

export function countIn<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
