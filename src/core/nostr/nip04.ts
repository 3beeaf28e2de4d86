import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { wrapKey } from '../kernel/crypto.ts';
import { sharedX } from '../kernel/secp256k1.ts';
import { decodeUtf8 } from './nip44.ts';

/*
 * The old encryption of Nostr (NIP-04): AES-256-CBC without authentication, as `base64(ciphertext)?iv=base64(iv)`. Some wallet apps know no other.
 */

const IV_BYTES = 16;
/** The longest payload of 65,535 bytes. */
const MAX_PAYLOAD_LENGTH = 87_412;

const PAYLOAD = /^([A-Za-z0-9+/]+={0,2})\?iv=([A-Za-z0-9+/]{22}==)$/;

/** Returns the key of all messages between two keys, 32 bytes; undefined for an invalid public key. @throws TypeError for an invalid secret key */
export function nip04Key(secretKey: Uint8Array, pubkey: string): Buffer | undefined {
  const shared = sharedX(secretKey, Buffer.from(pubkey, 'hex'));
  return shared && Buffer.from(shared);
}

export function encryptNip04(key: Uint8Array, plaintext: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-cbc', wrapKey(key), iv);
  const encrypted = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
  return `${encrypted.toString('base64')}?iv=${iv.toString('base64')}`;
}

/** Decrypts a payload. Returns undefined for any other text. A changed payload may decrypt to another text, because nothing authenticates it. */
export function decryptNip04(key: Uint8Array, payload: string): string | undefined {
  if (payload.length > MAX_PAYLOAD_LENGTH) return undefined;
  const [, encrypted, iv] = PAYLOAD.exec(payload) ?? [];
  if (encrypted === undefined || iv === undefined) return undefined;
  try {
    const decipher = createDecipheriv('aes-256-cbc', wrapKey(key), Buffer.from(iv, 'base64'));
    return decodeUtf8(Buffer.concat([decipher.update(encrypted, 'base64'), decipher.final()]));
  } catch {
    // Wrong padding.
    return undefined;
  }
}
