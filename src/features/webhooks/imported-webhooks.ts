import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import { newId } from '../../core/kernel/ids.ts';
import type { RowWrite } from '../../core/ledger/ledger.ts';
import { newSecret, type SecretBox } from './secrets.ts';
import * as sql from './webhooks.sql.ts';

/** A webhook of another program. */
export interface ImportedWebhook {
  readonly url: string;
  readonly eventTypes: readonly string[];
  readonly label: string;
  /** The secret that its receiver knows; undefined: a new one. */
  readonly secret: string | undefined;
}

/** Returns the row of a webhook that is paused: its events wait until the owner resumes it. */
export function importedWebhookRow(
  clock: Clock,
  secretBox: SecretBox,
  accountId: string,
  { url, eventTypes, label, secret = newSecret() }: ImportedWebhook,
): RowWrite {
  const id = `whk_${newId(clock.nowMs())}`;
  const sealed = JSON.stringify([secretBox.seal(id, secret)]);
  const parameters = [id, accountId, url, eventTypes.join(' '), label, unixSeconds(clock), sealed, secretBox.keyId];
  return { statement: sql.insertPausedWebhook, parameters, onMiss: () => new Error('the webhook was not stored') };
}
