import { takeTurn } from '../../core/kernel/turns.ts';
import * as deliveries from './deliveries.sql.ts';
import { countWaiting } from './delivery-lists.sql.ts';
import * as sql from './upkeep.sql.ts';
import * as webhooks from './webhooks.sql.ts';
import type { WebhookDependencies } from './webhooks.ts';

/** While more deliveries of a webhook wait, its replays wait, too. */
const MAX_WAITING = 5000;

const UNREADABLE = { kind: 'webhook_secrets_unreadable', subject: 'webhooks' } as const;

/** Gives up the claims of instances that have ended, and those of this instance that are not in `own`, if given. */
export async function releaseLostClaims({ database, instances }: WebhookDependencies, own: readonly number[] | undefined): Promise<void> {
  const claims = Map.groupBy(await database.all(sql.findClaimers), ({ claimed_by }) => claimed_by);
  for (const [instanceId, claimed] of claims) {
    const kept = instanceId === instances.id ? own : (await instances.isDead(instanceId)) ? [] : undefined;
    if (kept === undefined) continue;
    const ids = claimed.map(({ webhook_id }) => webhook_id);
    await database.transaction(async (tx) => {
      await tx.all(deliveries.lockMany, ids);
      await tx.run(sql.releaseClaims, instanceId, ids, kept);
    });
  }
}

/** Makes the next of a webhook's later retries due. @returns whether there may be more */
export async function makeRetriesDue({ database, clock }: WebhookDependencies, id: string): Promise<boolean> {
  await takeTurn();
  return (await database.transaction((tx) => tx.run(sql.makeDue, id, clock.nowMs()))) === sql.MAX_DUE_AT_ONCE;
}

/**
 * Opens or closes the alert about webhooks that receive nothing because their secrets were sealed with another SECRET_KEY.
 * @param wasOpen undefined: not known
 * @returns whether it is open
 */
export async function checkSecrets({ database, secretBox, alerts }: WebhookDependencies, wasOpen: boolean | undefined): Promise<boolean> {
  const count = (await database.first(webhooks.countUnreadable, secretBox.keyId))?.n ?? 0;
  if (count > 0 && !wasOpen)
    await alerts.raise({ ...UNREADABLE, message: `${count} active webhooks receive nothing.`, details: { count } });
  if (count === 0 && wasOpen !== false) await alerts.clear(UNREADABLE.kind, UNREADABLE.subject);
  return count > 0;
}

/** Deletes webhooks that their owners have deleted, with some of their deliveries. @returns whether there are more */
export async function deleteSome({ database }: WebhookDependencies): Promise<boolean> {
  let isPart = false;
  for (const { id } of await database.all(webhooks.listDeleted)) {
    await takeTurn();
    const count = await database.transaction(async (tx) => {
      const deleted = await tx.run(sql.deleteDeliveries, id);
      if (deleted > 0) return deleted;
      await tx.run(sql.deleteReplays, id);
      await tx.run(sql.deleteWebhook, id);
      return 0;
    });
    isPart ||= count > 0;
  }
  return isPart;
}

/** Inserts the deliveries of the next events of each webhook's oldest replay. @returns whether there may be more */
export async function continueReplays({ database, clock, secretBox }: WebhookDependencies): Promise<boolean> {
  let isPart = false;
  for (const { id, webhook_id } of await database.all(sql.listReplays, secretBox.keyId)) {
    await takeTurn();
    const isInserted = await database.transaction(async (tx) => {
      const [webhook] = await tx.all(deliveries.lockActive, [webhook_id], secretBox.keyId);
      const replay = await tx.first(sql.findReplay, id);
      const waiting = await tx.first(countWaiting, webhook_id, MAX_WAITING);
      if (!webhook || !replay || waiting?.n === MAX_WAITING) return false;
      const end = (await tx.first(sql.endOfPart, webhook.account_id, replay.position, replay.until_position))?.position ?? undefined;
      if (end !== undefined) await tx.run(sql.insertReplayed, webhook_id, id, replay.position, end, clock.nowMs());
      if (end === undefined) await tx.run(sql.deleteReplay, id);
      else await tx.run(sql.advanceReplay, id, end);
      return true;
    });
    isPart ||= isInserted;
  }
  return isPart;
}
