import type { LoggedEvent } from '../../core/journal/event-log.ts';
import type { EventType } from '../../core/journal/event-types.ts';
import { followLog } from '../../core/journal/follow.ts';
import { isJsonObject } from '../../core/kernel/json.ts';
import type { ServedConnection } from './served-connections.ts';
import type { Serving } from './serving.ts';

const TYPES: ReadonlySet<EventType> = new Set(['key_created', 'key_revoked']);

/**
 * Serves connections that are created, and marks those that are revoked, until the signal aborts. It follows the log apart from the notifications, so
 * that a new app does not wait for those of others.
 * @param after the position from which the log is read: before the connections were
 * @param onChange gets a connection that was created or revoked
 */
export function followConnections(serving: Serving, after: number, onChange: (served: ServedConnection) => void): Promise<void> {
  const { served, modules, signal } = serving;
  return followLog(modules, {
    name: 'new apps could not be read; they are read later',
    after,
    types: TYPES,
    signal,
    async handle({ events }) {
      for (const event of events) {
        const change = keyChange(event);
        const changed = change && (await served.update(change.keyId, change.isRevoked ? Math.floor(event.createdAtMs / 1000) : undefined));
        if (changed) onChange(changed);
      }
    },
  });
}

/** Returns the key of a connection that an event reports as created or revoked. */
function keyChange({ type, data }: LoggedEvent): { readonly keyId: string; readonly isRevoked: boolean } | undefined {
  const key = data?.key;
  if (!isJsonObject(key) || key.kind !== 'wallet_connection' || typeof key.id !== 'string') return undefined;
  return { keyId: key.id, isRevoked: type === 'key_revoked' };
}
