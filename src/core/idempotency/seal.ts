import { hkdfSync } from 'node:crypto';
import { sealText, unsealText } from '../kernel/sealing.ts';

/** The secrets from which the encryption key is derived: the request's credential and its Idempotency-Key. Neither is stored. */
export interface SealKey {
  readonly credential: string;
  readonly idempotencyKey: string;
}

/** Encrypts a JSON value (AES-256-GCM, key derived with HKDF-SHA256, RFC 5869). */
export function seal(key: SealKey, value: unknown): Uint8Array {
  return sealText(derive(key), JSON.stringify(value));
}

/** Decrypts a sealed value. @throws Error if the key differs or the bytes were changed. */
export function unseal(key: SealKey, sealed: Uint8Array): unknown {
  return JSON.parse(unsealText(derive(key), sealed));
}

function derive({ credential, idempotencyKey }: SealKey): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', credential, idempotencyKey, 'satchel idempotency', 32));
}
