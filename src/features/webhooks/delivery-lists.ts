import type { Database } from '../../core/db/database.ts';
import { isId } from '../../core/kernel/ids.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import * as rows from './deliveries.sql.ts';
import type { PlacedLog } from './log-place.ts';
import { type Delivery, type DeliveryState, isWanted, toDelivery, type Webhook } from './webhook.ts';

export interface DeliveryPage {
  readonly after: string | undefined;
  readonly state: DeliveryState | undefined;
  readonly limit: number;
}

/** Larger numbers are not counted. */
export const MAX_COUNTED = 10_000;
const MAX_COUNTED_UNREAD = 1000;

/** Returns the number of waiting deliveries and of events that were not read yet. */
export async function countWaiting(
  { database, eventLog }: { database: Database; eventLog: Pick<PlacedLog, 'read'> },
  webhook: Webhook,
): Promise<number> {
  const { eventTypes, accountId, cursor } = webhook;
  const stored = (await database.first(rows.countWaiting, webhook.id, MAX_COUNTED))?.n ?? 0;
  const types = eventTypes && new Set(eventTypes);
  const unread = await eventLog.read({ scope: { accountId }, types }, cursor, MAX_COUNTED_UNREAD).catch(() => undefined);
  const own = unread?.events.filter((event) => isWanted(webhook, event)) ?? [];
  const first = own[0];
  const known = first ? await database.all(rows.knownEvents, webhook.id, first.id, MAX_COUNTED) : [];
  const isKnown = new Set(known.map(({ event_id }) => event_id));
  return Math.min(MAX_COUNTED, stored + own.filter((event) => !isKnown.has(event.id)).length);
}

/** Returns deliveries of a webhook, newest first. @throws Refusal `validation_failed` for an unknown `after` */
export async function listDeliveries(database: Database, id: string, { after = '', state, limit }: DeliveryPage): Promise<Delivery[]> {
  if (after !== '' && !(isId(after) && (await database.first(rows.findDelivery, after, id))))
    throw new Refusal('validation_failed', '`after` must be the id of a delivery of this webhook.');
  const found =
    state === undefined
      ? await database.all(rows.listDeliveries, id, after, limit)
      : await database.all(rows.listDeliveriesInState, id, after, limit, state);
  return found.map(toDelivery);
}

/** Returns deliveries of the events of an invoice or a payment, newest first. @throws Refusal `validation_failed` for an unknown `after` */
export async function listDeliveriesOfLightning(
  database: Database,
  { accountId, lightningId }: { accountId: string; lightningId: string },
  { after = '', limit }: Omit<DeliveryPage, 'state'>,
): Promise<Delivery[]> {
  const isKnown = async () => isId(after) && (await database.first(rows.findDeliveryOfLightning, lightningId, accountId, after));
  if (after !== '' && !(await isKnown()))
    throw new Refusal('validation_failed', '`after` must be the id of a delivery of this invoice or payment.');
  return (await database.all(rows.listDeliveriesOfLightning, lightningId, accountId, after, limit)).map(toDelivery);
}
