import { setImmediate as nextTurn } from 'node:timers/promises';
import { readFact, writeFact } from '../../core/db/facts.sql.ts';
import { writeManyRows } from '../../core/db/row-write.ts';
import { type LoggedEvent, type LogPart, START } from '../../core/journal/event-log.ts';
import type { EventType } from '../../core/journal/event-types.ts';
import { followLog } from '../../core/journal/follow.ts';
import type { RowWrite } from '../../core/ledger/ledger.ts';
import type { NotificationType } from './methods.ts';
import type { NwcModules } from './modules.ts';
import { NOTIFIED, type NotificationPayload } from './publishing.ts';
import type { ServedConnection } from './served-connections.ts';
import type { Serving } from './serving.ts';

/** The events that apps are notified of: of bookings, and of hold invoices whose payment has arrived. */
const TYPES: Partial<Record<EventType, NotificationType>> = {
  wallet_receive: 'payment_received',
  wallet_transfer_in: 'payment_received',
  wallet_send: 'payment_sent',
  wallet_transfer_out: 'payment_sent',
  invoice_held: 'hold_invoice_accepted',
};

/** The notifications of one app that wait. Later ones are dropped: an app that gets so many reads its list. */
export const MAX_WAITING_OF_APP = 100;
/** So many rows share a transaction, and others get a turn between two of them. */
const ROWS_AT_ONCE = 100;
/** Without notifications, the position is stored only so often. */
const STORED_MS = 10_000;

/** The position in the event log up to which apps were notified. */
const FACT = 'nwc_event_position';

/** Returns the position in the log where the last service has stopped; at first its end. */
export async function firstPosition({ database, eventLog }: NwcModules): Promise<number> {
  const stored = await database.first(readFact, FACT);
  if (stored) return Number(stored.value);
  const newest = await eventLog.newest();
  await database.transaction((tx) => tx.run(writeFact, FACT, String(newest)));
  return Math.max(newest, START);
}

/**
 * Inserts the notifications of events as tasks, each once, until the signal aborts. It continues where the last one stopped, also after a restart on
 * another instance.
 */
export function followEvents(serving: Serving, after: number): Promise<void> {
  const { modules, signal } = serving;
  let storedMs = performance.now();
  let stored = after;

  async function store(rows: readonly RowWrite[], position: number): Promise<void> {
    await modules.database.transaction(async (tx) => {
      await writeManyRows(tx, rows);
      await tx.run(writeFact, FACT, String(position));
    });
    storedMs = performance.now();
    stored = position;
    if (rows.length > 0) modules.tasks.wake(NOTIFIED);
  }

  async function handle({ events, next }: Pick<LogPart, 'events' | 'next'>): Promise<void> {
    const rooms = new Map<string, number>();
    let rows: RowWrite[] = [];
    // After a failure, a part begins with events whose notifications are stored.
    for (const event of events.filter(({ position }) => position > stored)) {
      rows.push(...(await rowsOf(serving, event, rooms)));
      if (rows.length < ROWS_AT_ONCE) continue;
      await store(rows, event.position);
      rows = [];
      await nextTurn();
    }
    if (rows.length > 0 || performance.now() - storedMs > STORED_MS) await store(rows, next);
  }

  return followLog(modules, { name: 'apps could not be notified of events; they are notified later', after, signal, handle });
}

/** @param rooms how many more notifications of each connection may wait */
async function rowsOf({ served, modules, counts }: Serving, event: LoggedEvent, rooms: Map<string, number>): Promise<RowWrite[]> {
  const type = TYPES[event.type];
  if (!type || event.walletId === undefined) return [];
  const payload: NotificationPayload = { type, subject: event.subject };
  const rows: RowWrite[] = [];
  for (const { connection } of served.ofWallet(event.walletId).filter(isNotified)) {
    const { id, accountId } = connection;
    const room = rooms.get(id) ?? MAX_WAITING_OF_APP - (await modules.tasks.countOfKey(NOTIFIED, id, MAX_WAITING_OF_APP));
    rooms.set(id, room - 1);
    if (room > 0) rows.push(modules.tasks.rowOf({ queue: NOTIFIED, orderingKey: id, accountId, payload: JSON.stringify(payload) }));
    else counts.droppedNotifications += 1;
  }
  return rows;
}

function isNotified({ connection }: ServedConnection): boolean {
  return connection.permissions.includes('wallet_tx_read');
}
