import { hkdfSync, randomBytes } from 'node:crypto';
import { sealText, unsealText } from '../../core/kernel/sealing.ts';
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
export interface SecretBox {
  /** The fingerprint of the key. */
  readonly keyId: string;
  seal(webhookId: string, secret: string): StoredSecret;
  /** Returns undefined for a secret that another key sealed, or that was changed. */
  open(webhookId: string, stored: StoredSecret): string | undefined;
}

/** @param secretKey the bytes of SECRET_KEY, at least 32 */
export function createSecretBox(secretKey: Uint8Array): SecretBox {
  const derived = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', secretKey, new Uint8Array(), `satchel webhook secrets: ${purpose}`, bytes));
  const key = derived('key', 32);
  const keyId = derived('fingerprint', 8).toString('hex');
  return {
    keyId,
    seal: (webhookId, secret) => ({ keyId, sealed: Buffer.from(sealText(key, secret, webhookId)).toString('base64') }),
    open(webhookId, { keyId: sealedBy, sealed }) {
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
export function validSecrets({ secrets }: Pick<WebhookRow, 'secrets'>, nowSeconds: number): StoredSecret[] {
  const stored: StoredSecret[] = JSON.parse(secrets);
  return stored.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > nowSeconds);
}
