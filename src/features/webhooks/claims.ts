import type { Tx } from '../../core/db/database.ts';
import { isEventType } from '../../core/journal/event-types.ts';
import type { DeliveryRow } from './deliveries.sql.ts';
import * as sql from './deliveries.sql.ts';
import { isDown, LONGEST_WAIT_MS } from './results.ts';
import { lockActive, type WebhookRow } from './webhooks.sql.ts';

/** Deliveries that this instance sends now. Those with the same ordering key must be sent one after the other. */
export interface Claim {
  readonly webhook: WebhookRow;
  readonly rows: readonly DeliveryRow[];
  /** Whether there may be more that can be claimed. */
  readonly isPart: boolean;
}

export interface Claimer {
  readonly instanceId: string;
  /** The fingerprint of the key that opens signing secrets. Webhooks with another one are left to other instances. */
  readonly keyId: string;
  readonly nowMs: number;
  /** The most deliveries of one webhook. */
  readonly limit: number;
}

/** How many queued deliveries of a webhook are looked at. */
const LOOKED_AT = 100;

/**
 * Claims deliveries of webhooks: retries that are due, and queued ones that wait for no earlier one of their ordering key. Queued ones that do
 * are held until that one has ended, so that each is looked at once. Webhooks that another instance is claiming from are left out.
 */
export async function claimDeliveries(tx: Tx, webhookIds: readonly string[], claimer: Claimer): Promise<Claim[]> {
  if (webhookIds.length === 0) return [];
  const locked = await tx.all(lockActive, webhookIds, claimer.keyId);
  const found = await Promise.all(locked.map((webhook) => findDeliveries(tx, webhook, claimer)));
  const claimed = found.flatMap(({ rows }) => rows.map(({ position }) => position));
  const blocked = found.flatMap((one) => one.blocked.map(({ position }) => position));
  if (claimed.length > 0) await tx.run(sql.claim, claimed, claimer.instanceId);
  if (blocked.length > 0) await tx.run(sql.hold, blocked);
  return found;
}

async function findDeliveries(tx: Tx, webhook: WebhookRow, { nowMs, limit }: Claimer): Promise<Claim & { blocked: DeliveryRow[] }> {
  const { id } = webhook;
  const most = isDown(webhook) ? 1 : limit;
  const [due, queued, sending] = await Promise.all([
    // A retry that is planned later than any wait lasts was planned before the clock was set back.
    tx.all(sql.findDue, id, nowMs, nowMs + LONGEST_WAIT_MS, most),
    tx.all(sql.findQueued, id, LOOKED_AT),
    isDown(webhook) ? tx.first(sql.findClaimed, id) : undefined,
  ]);
  if (sending) return { webhook, rows: [], isPart: false, blocked: [] };
  // A newer version stored events of types that this one cannot render. They are left to instances of that version, and so are later ones of their keys.
  const unknown = new Set(queued.filter(({ event_type }) => !isEventType(event_type)).map(({ ordering_key }) => ordering_key));
  const known = queued.filter(({ ordering_key }) => !unknown.has(ordering_key));
  const rows = [...due.filter(({ event_type }) => isEventType(event_type)), ...known.filter(({ is_blocked }) => is_blocked === 0)]
    .slice(0, most)
    .map((row) => ({ ...row, due_at_ms: null }));
  const blocked = known.filter(({ is_blocked }) => is_blocked === 1);
  return { webhook, rows, isPart: queued.length === LOOKED_AT && rows.length + blocked.length > 0, blocked };
}
