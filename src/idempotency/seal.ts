import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The secrets from which the encryption key is derived: the request's credential and its Idempotency-Key. Neither is stored. */
export interface SealKey {
  readonly credential: string;
  readonly idempotencyKey: string;
}

/** Encrypts a JSON value. Returns nonce ‖ ciphertext ‖ tag (AES-256-GCM, key derived with HKDF-SHA256, RFC 5869). */
export function seal(key: SealKey, value: unknown): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, derive(key), nonce);
  return Buffer.concat([nonce, cipher.update(JSON.stringify(value), 'utf8'), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts a sealed value. @throws Error if the key differs or the bytes were changed. */
export function unseal(key: SealKey, sealed: Uint8Array): unknown {
  const decipher = createDecipheriv(ALGORITHM, derive(key), sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  const text = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  return JSON.parse(text.toString('utf8'));
}

function derive({ credential, idempotencyKey }: SealKey): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', credential, idempotencyKey, 'satchel idempotency', 32));
}
