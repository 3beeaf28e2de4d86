import type { Database } from '../../core/db/database.ts';
import { errorMessage, type Log } from '../../core/kernel/log.ts';
import * as deliveries from './deliveries.sql.ts';
import * as sql from './webhooks.sql.ts';

/** Deletes webhooks that their owners have deleted, with their deliveries. */
export interface Deletions {
  /** Starts to delete a webhook, unless that is running. After an error, the next call tries again. */
  start(id: string): void;
}

const DELETED_AT_ONCE = 1000;

export function createDeletions({ database, log }: { database: Database; log: Log }): Deletions {
  const running = new Set<string>();

  async function remove(id: string): Promise<void> {
    while ((await database.transaction((tx) => tx.run(deliveries.deleteSome, id, DELETED_AT_ONCE))) > 0);
    await database.transaction(async (tx) => {
      await tx.run(sql.deleteReplays, id);
      await tx.run(sql.deleteWebhook, id);
    });
  }

  return {
    start(id) {
      if (running.has(id)) return;
      running.add(id);
      remove(id)
        .catch((error) =>
          log.warn({ reason: errorMessage(error) }, 'the deliveries of a deleted webhook could not be deleted; this is tried again'),
        )
        .finally(() => running.delete(id));
    },
  };
}
