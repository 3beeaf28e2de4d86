import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { wrapKey } from './crypto.ts';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Derives the key for one kind of secrets (`name`) from the bytes of SECRET_KEY, and its fingerprint, which is stored with each sealed secret. */
export function deriveSealingKey(secretKey: Uint8Array, name: string): { readonly key: Uint8Array; readonly keyId: string } {
  const derived = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', secretKey, new Uint8Array(), `${name}: ${purpose}`, bytes));
  return { key: derived('key', 32), keyId: derived('fingerprint', 8).toString('hex') };
}

/** Encrypts a text with a key of 32 bytes. `context` is not encrypted; the text opens only with the same one. Returns nonce ‖ ciphertext ‖ tag. */
export function sealText(key: Uint8Array, text: string, context = ''): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, wrapKey(key), nonce).setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts a sealed text. @throws Error if the key or the context differs, or the bytes were changed */
export function unsealText(key: Uint8Array, sealed: Uint8Array, context = ''): string {
  const decipher = createDecipheriv(ALGORITHM, wrapKey(key), sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8');
}
