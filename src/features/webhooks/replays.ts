import type { Database } from '../../core/db/database.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import * as deliveries from './deliveries.sql.ts';
import { firstRow } from './delivery-rows.ts';
import { comparePlaces, type PlacedLog, UnknownCursor } from './log-place.ts';
import type { WebhookQueue } from './queue.ts';
import { isWanted } from './webhook.ts';
import * as sql from './webhooks.sql.ts';

/** How many events of a replay become deliveries at once. */
const PART = 500;

/**
 * Inserts the deliveries of the next events of an endpoint's oldest replay. Those of one wallet keep their order, and do not wait for the
 * deliveries of new events. @returns whether there may be more
 */
export async function continueReplay(
  { database, eventLog, clock }: { database: Database; eventLog: Pick<PlacedLog, 'read' | 'oldest'>; clock: Clock },
  queue: WebhookQueue,
): Promise<boolean> {
  const { webhook } = queue;
  const replay = await database.first(sql.oldestReplay, webhook.id);
  if (!replay) return false;
  const until = { position: replay.until_position, rank: replay.until_rank };
  const after = { position: replay.position, rank: replay.rank };
  const scope = { accountId: webhook.accountId };
  const part = await eventLog.read({ scope }, after, PART).catch(async (error: unknown) => {
    if (error instanceof UnknownCursor) return { events: [], upTo: await eventLog.oldest(), isEnd: false };
    throw error;
  });
  const rows = part.events
    .filter((event) => comparePlaces(event.place, until) <= 0 && isWanted(webhook, event))
    .map((event) => firstRow(webhook.id, event, clock.nowMs(), `${replay.id} ${event.walletId ?? ''}`));
  const isOver = part.isEnd || comparePlaces(part.upTo, until) >= 0;
  await database.transaction(async (tx) => {
    if (rows.length > 0) await tx.run(deliveries.insertDeliveries, JSON.stringify(rows));
    if (isOver) await tx.run(sql.deleteReplay, replay.id);
    else await tx.run(sql.advanceReplay, replay.id, part.upTo.position, part.upTo.rank);
  });
  for (const [lane, { length }] of Map.groupBy(rows, ({ lane }) => lane)) queue.addRows(lane, length);
  return true;
}
