import type { Alerts } from '../../core/alerts/alerts.ts';
import type { Database } from '../../core/db/database.ts';
import type { SecretBox } from './secrets.ts';
import * as sql from './webhooks.sql.ts';

/** The alert about webhooks that receive nothing because no instance has the SECRET_KEY of their signing secrets. */
export interface UnreadableSecrets {
  /** Opens or closes the alert. Reads the database only now and then. */
  check(): Promise<void>;
}

export interface UnreadableSecretDependencies {
  readonly database: Database;
  readonly secretBox: SecretBox;
  readonly alerts: Pick<Alerts, 'raise' | 'clear'>;
}

/** A webhook that no instance has held for so many times the length of a lease has a secret that none can decrypt. */
const UNHELD_LEASES = 3;

const ALERT = { kind: 'webhook_secrets_unreadable', subject: 'webhooks' } as const;

export function createUnreadableSecrets({ database, secretBox, alerts }: UnreadableSecretDependencies, leaseMs: number): UnreadableSecrets {
  const unheldMs = UNHELD_LEASES * leaseMs;
  let nextAt = 0;
  let wasUnreadable: boolean | undefined;
  return {
    async check() {
      if (performance.now() < nextAt) return;
      nextAt = performance.now() + unheldMs;
      const count = (await database.first(sql.countUnreadable, secretBox.keyId, unheldMs))?.n ?? 0;
      if (count > 0) await alerts.raise({ ...ALERT, message: `${count} active webhooks receive nothing.` });
      else if (wasUnreadable !== false) await alerts.clear(ALERT.kind, ALERT.subject);
      wasUnreadable = count > 0;
    },
  };
}
