import { randomBytes } from 'node:crypto';
import { deriveSealingKey, sealText, unsealText } from '../../core/kernel/sealing.ts';
import type { WebhookRow } from './webhooks.sql.ts';

/** A signing secret as it is stored. */
export interface StoredSecret {
  /** The fingerprint of the key that sealed it. */
  readonly keyId: string;
  /** In base64. */
  readonly sealed: string;
  /** Unix seconds, after a rotation: the end of the overlap. */
  readonly expiresAt?: number;
}

/** Seals signing secrets under a key that is not in the database. */
export type SecretBox = ReturnType<typeof createSecretBox>;

/** @param secretKey the bytes of SECRET_KEY, at least 32 */
export function createSecretBox(secretKey: Uint8Array) {
  const { key, keyId } = deriveSealingKey(secretKey, 'satchel webhook secrets');
  return {
    /** The fingerprint of the key. */
    keyId,
    seal(webhookId: string, secret: string): StoredSecret {
      return { keyId, sealed: Buffer.from(sealText(key, secret, webhookId)).toString('base64') };
    },
    /** Returns undefined for a secret that another key sealed, or that was changed. */
    open(webhookId: string, { keyId: sealedBy, sealed }: StoredSecret): string | undefined {
      if (sealedBy !== keyId) return undefined;
      try {
        return unsealText(key, Buffer.from(sealed, 'base64'), webhookId);
      } catch {
        return undefined;
      }
    },
  };
}

/** Returns a new signing secret in the form of Standard Webhooks. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** Returns the secrets of a webhook whose overlap has not ended, newest first. */
export function validSecrets({ secrets }: WebhookRow, nowSeconds: number): StoredSecret[] {
  const stored: StoredSecret[] = JSON.parse(secrets);
  return stored.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > nowSeconds);
}
