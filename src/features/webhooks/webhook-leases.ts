import type { Database } from '../../core/db/database.ts';
import { newId } from '../../core/kernel/ids.ts';
import { toWebhook, type Webhook } from './webhook.ts';
import * as sql from './webhooks.sql.ts';

/**
 * The webhooks on which this instance works. Each has a lease that ends by itself, so that the webhooks of a dead instance are taken over.
 * Running instances with the same key share them evenly.
 */
export interface WebhookLeases {
  /** The name of this instance in leases. */
  readonly holder: string;
  /**
   * Renews leases, takes free webhooks up to the share of this instance, and returns those that it holds. `taken`: the ids of those that it
   * did not hold before.
   */
  refresh(): Promise<{ held: Webhook[]; taken: ReadonlySet<string>; share: number; total: number }>;
  release(ids: readonly string[]): Promise<void>;
  /** Ends the part of this instance in the sharing. */
  end(): Promise<void>;
}

export function createWebhookLeases(database: Database, keyId: string, leaseMs: number): WebhookLeases {
  const holder = newId();
  let wasIdle = true;
  return {
    holder,
    async refresh() {
      // Without webhooks nothing is written.
      const total = (await database.first(sql.countWork, keyId))?.n ?? 0;
      if (total === 0 && wasIdle) return { held: [], taken: new Set(), share: 0, total };
      wasIdle = total === 0;
      return database.transaction(async (tx) => {
        await tx.run(sql.reportAlive, holder, keyId, leaseMs);
        await tx.run(sql.deleteDead, holder);
        const alive = (await tx.first(sql.countAlive, keyId))?.n ?? 1;
        const share = Math.ceil(total / alive);
        const held = await tx.all(sql.renewLeases, holder, leaseMs, keyId);
        const taken = held.length < share ? await tx.all(sql.claim, holder, leaseMs, keyId, share - held.length) : [];
        return { held: [...held, ...taken].map(toWebhook), taken: new Set(taken.map(({ id }) => id)), share, total };
      });
    },
    async release(ids) {
      if (ids.length > 0) await database.transaction((tx) => tx.run(sql.release, holder, ids));
    },
    end: async () => void (await database.transaction((tx) => tx.run(sql.reportEnd, holder))),
  };
}
