import { countWaiting } from './delivery-lists.sql.ts';
import type { Sending } from './sending.ts';
import * as sql from './upkeep.sql.ts';
import * as webhooks from './webhooks.sql.ts';
import type { WebhookDependencies } from './webhooks.ts';

/** While more deliveries of a webhook wait, its replays wait, too. */
const MAX_WAITING = 5000;

const UNREADABLE = { kind: 'webhook_secrets_unreadable', subject: 'webhooks' } as const;

/** The work on webhooks that is rarely needed. Each run does a part of it. */
export class Upkeep {
  /** Whether there may be anything to do. */
  hasWebhooks = true;
  readonly #deps: WebhookDependencies;
  #wasUnreadable: boolean | undefined;

  constructor(deps: WebhookDependencies) {
    this.#deps = deps;
  }

  /** @returns whether there is more to do at once */
  async run(sending: Sending, mayHaveLostClaims: boolean): Promise<boolean> {
    const { database, secretBox } = this.#deps;
    const ids = sending.webhookIds;
    this.hasWebhooks = ids.length > 0 || (await database.first(webhooks.findAny)) !== undefined;
    await this.#checkSecrets();
    if (!this.hasWebhooks) return false;
    await this.#releaseLostClaims(mayHaveLostClaims ? sending.positions : undefined);
    if (ids.length > 0) sending.update(await database.all(webhooks.findActive, ids, secretBox.keyId));
    const isDeleted = await this.#deleteSome();
    return (await this.#continueReplays()) || !isDeleted;
  }

  /** Opens or closes the alert about webhooks that receive nothing because their secrets were sealed with another SECRET_KEY. */
  async #checkSecrets(): Promise<void> {
    const { database, secretBox, alerts } = this.#deps;
    const count = (await database.first(webhooks.countUnreadable, secretBox.keyId))?.n ?? 0;
    if (count > 0 && !this.#wasUnreadable) await alerts.raise({ ...UNREADABLE, message: `${count} active webhooks receive nothing.` });
    if (count === 0 && this.#wasUnreadable !== false) await alerts.clear(UNREADABLE.kind, UNREADABLE.subject);
    this.#wasUnreadable = count > 0;
  }

  /** Gives up the claims of instances that have ended, and those of this instance that are not in `own`. */
  async #releaseLostClaims(own: readonly number[] | undefined): Promise<void> {
    const { database, instances } = this.#deps;
    const claims = Map.groupBy(await database.all(sql.findClaimers), ({ claimed_by }) => claimed_by);
    for (const [instanceId, claimed] of claims) {
      const kept = instanceId === instances.id ? own : (await instances.isDead(instanceId)) ? [] : undefined;
      if (kept === undefined) continue;
      const ids = claimed.map(({ webhook_id }) => webhook_id);
      await database.transaction(async (tx) => {
        await tx.all(webhooks.lockMany, ids);
        await tx.run(sql.releaseClaims, instanceId, ids, kept);
      });
    }
  }

  /** Deletes webhooks that their owners have deleted, with their deliveries. @returns whether all are deleted that can be */
  async #deleteSome(): Promise<boolean> {
    const { database } = this.#deps;
    let isDone = true;
    for (const { id } of await database.all(webhooks.listDeleted)) {
      const count = await database.transaction(async (tx) => {
        const deleted = await tx.run(sql.deleteDeliveries, id);
        if (deleted > 0) return deleted;
        await tx.run(sql.deleteReplays, id);
        await tx.run(sql.deleteWebhook, id);
        return 0;
      });
      if (count > 0) isDone = false;
    }
    return isDone;
  }

  /** Inserts the deliveries of the next events of each webhook's oldest replay. @returns whether there may be more */
  async #continueReplays(): Promise<boolean> {
    const { database, clock, secretBox } = this.#deps;
    let isPart = false;
    for (const { id, webhook_id } of await database.all(sql.listReplays)) {
      const isInserted = await database.transaction(async (tx) => {
        const [webhook] = await tx.all(webhooks.lockActive, [webhook_id], secretBox.keyId);
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
}
