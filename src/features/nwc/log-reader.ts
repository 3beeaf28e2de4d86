import { readFact, writeFact } from '../../core/db/facts.sql.ts';
import { writeRows } from '../../core/db/row-write.ts';
import { type LoggedEvent, START, UnknownCursor } from '../../core/journal/event-log.ts';
import { pause, unixSeconds } from '../../core/kernel/clock.ts';
import { isJsonObject } from '../../core/kernel/json.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import type { RowWrite } from '../../core/ledger/ledger.ts';
import type { NwcModules } from './modules.ts';
import { type Notification, notificationsOf } from './notifications.ts';
import type { ServedConnection } from './served-connections.ts';
import type { Serving } from './serving.ts';

/** The log is read after each commit of this process, and at least so often for those of others. */
const POLL_MS = 500;
/** One read serves many commits. */
const SHORTEST_WAIT_MS = 20;
const PART = 500;
const RETRY_MS = 1000;
/** Without notifications, the position is stored only so often. */
const STORED_MS = 10_000;

/** The position in the event log up to which apps were notified. */
const FACT = 'nwc_event_position';

/**
 * Follows the event log: notifies apps, and notices connections that are created and revoked. It continues where the last one stopped, also after
 * a restart on another instance, so it is no listener of the live feed.
 * @param after the position of {@link firstPosition}
 * @param onChange gets a connection that was created or revoked
 */
export async function followLog(serving: Serving, after: number, onChange: (served: ServedConnection) => void): Promise<void> {
  const { modules, signal } = serving;
  const { database, eventLog, log } = modules;
  let wake = new AbortController();
  const stopListening = database.onCommit(() => wake.abort());
  let position = after;
  let storedMs = performance.now();
  try {
    while (!signal.aborted) {
      wake = new AbortController();
      try {
        const { events, next, isEnd } = await eventLog.read({ scope: 'all' }, position, PART);
        const rows = await rowsOf(serving, events, onChange);
        const isDue = next > position && performance.now() - storedMs > STORED_MS;
        if (rows.length > 0 || isDue) {
          await database.transaction(async (tx) => {
            await writeRows(tx, rows);
            await tx.run(writeFact, FACT, String(next));
          });
          storedMs = performance.now();
          if (rows.length > 0) serving.wakeOutbox();
        }
        position = next;
        if (!isEnd) continue;
      } catch (error) {
        log.warn({ reason: errorMessage(error) }, 'apps could not be notified of events; they are notified later');
        // What has expired is not notified any more.
        if (error instanceof UnknownCursor) position = await eventLog.newest().catch(() => position);
        await pause(RETRY_MS, signal);
        continue;
      }
      await pause(SHORTEST_WAIT_MS, signal);
      await pause(POLL_MS, AbortSignal.any([signal, wake.signal]));
    }
  } finally {
    stopListening();
  }
}

/** Returns the position in the log where the last service has stopped; at first its end. */
export async function firstPosition({ database, eventLog }: NwcModules): Promise<number> {
  const stored = await database.first(readFact, FACT);
  if (stored) return Number(stored.value);
  const newest = await eventLog.newest();
  await database.transaction((tx) => tx.run(writeFact, FACT, String(newest)));
  return Math.max(newest, START);
}

/** Returns the rows that publish the notifications of events. */
async function rowsOf(serving: Serving, events: readonly LoggedEvent[], onChange: (served: ServedConnection) => void): Promise<RowWrite[]> {
  const { modules, served } = serving;
  for (const event of events) {
    const change = keyChange(event);
    const changed = change && (await served.update(change.keyId, change.isRevoked ? Math.floor(event.createdAtMs / 1000) : undefined));
    if (changed) onChange(changed);
  }
  const notifications = await notificationsOf(modules, events, (walletId) => served.ofWallet(walletId).some(isNotified));
  return (await Promise.all(notifications.map((one) => rowsOfNotification(serving, one)))).flat();
}

function isNotified({ connection }: ServedConnection): boolean {
  return connection.permissions.includes('wallet_tx_read');
}

async function rowsOfNotification(
  { requests, responses, served, modules }: Serving,
  { walletId, type, transaction }: Notification,
): Promise<RowWrite[]> {
  const rows: RowWrite[] = [];
  for (const { connection } of served.ofWallet(walletId).filter(isNotified)) {
    const key = await modules.accounts.findValid(connection.keyId);
    if (!key || (key.expiresAt ?? Number.POSITIVE_INFINITY) <= unixSeconds(modules.clock)) continue;
    for (const event of await responses.notify(connection, type, transaction)) rows.push(requests.outboxRow(connection.id, event));
  }
  return rows;
}

/** Returns the key of a connection that an event reports as created or revoked. */
function keyChange({ type, data }: LoggedEvent): { readonly keyId: string; readonly isRevoked: boolean } | undefined {
  if (type !== 'key_created' && type !== 'key_revoked') return undefined;
  const key = data?.key;
  if (!isJsonObject(key) || key.kind !== 'wallet_connection' || typeof key.id !== 'string') return undefined;
  return { keyId: key.id, isRevoked: type === 'key_revoked' };
}
