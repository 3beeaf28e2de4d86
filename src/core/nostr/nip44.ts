import { createCipheriv, randomBytes, timingSafeEqual } from 'node:crypto';
import { hmacSha256, wrapKey } from '../kernel/crypto.ts';
import { sharedX } from '../kernel/secp256k1.ts';

/*
 * Encrypted payloads, version 2 (NIP-44): base64 of the version, a nonce of 32 bytes, the ciphertext, and a MAC of 32 bytes. The plaintext has
 * its length in front and is padded, so that the payload shows its length only roughly.
 */

const VERSION = 2;
const SALT = Buffer.from('nip44-v2');
const NONCE_BYTES = 32;
const MAC_BYTES = 32;
const LENGTH_BYTES = 2;

/** The largest length that its prefix can state. Relays accept less than 64 KiB. */
export const MAX_NIP44_BYTES = 65_535;

/** 99 bytes are the shortest payload: a plaintext of 1 byte is padded to 32. */
const MIN_PAYLOAD_LENGTH = 132;
const MAX_PAYLOAD_LENGTH = 4 * Math.ceil((1 + NONCE_BYTES + LENGTH_BYTES + 65_536 + MAC_BYTES) / 3);

/** Returns the key of all messages between two keys, 32 bytes; undefined for an invalid public key. @throws TypeError for an invalid secret key */
export function nip44Key(secretKey: Uint8Array, pubkey: string): Buffer | undefined {
  const shared = sharedX(secretKey, Buffer.from(pubkey, 'hex'));
  return shared && hmacSha256(SALT, shared);
}

/** Encrypts a text of 1 to 65,535 bytes. @throws RangeError for another length */
export function encryptNip44(key: Uint8Array, plaintext: string, nonce: Uint8Array = randomBytes(NONCE_BYTES)): string {
  const text = Buffer.from(plaintext);
  if (text.length < 1 || text.length > MAX_NIP44_BYTES) throw new RangeError(`a text of ${text.length} bytes cannot be encrypted`);
  const padded = Buffer.alloc(LENGTH_BYTES + paddedLength(text.length));
  padded.writeUInt16BE(text.length);
  text.copy(padded, LENGTH_BYTES);
  const { cipher, mac } = messageKeys(key, nonce);
  const encrypted = cipher(padded);
  return Buffer.concat([Uint8Array.of(VERSION), nonce, encrypted, mac(encrypted)]).toString('base64');
}

/** Decrypts a payload. Returns undefined for any other text, another version, a wrong MAC or wrong padding. */
export function decryptNip44(key: Uint8Array, payload: string): string | undefined {
  if (payload.length < MIN_PAYLOAD_LENGTH || payload.length > MAX_PAYLOAD_LENGTH) return undefined;
  const bytes = Buffer.from(payload, 'base64');
  // Buffer skips what is not base64. A payload that begins with # is of a future version.
  if (bytes.toString('base64') !== payload || bytes[0] !== VERSION) return undefined;
  const nonce = bytes.subarray(1, 1 + NONCE_BYTES);
  const encrypted = bytes.subarray(1 + NONCE_BYTES, -MAC_BYTES);
  const { cipher, mac } = messageKeys(key, nonce);
  if (!timingSafeEqual(mac(encrypted), bytes.subarray(-MAC_BYTES))) return undefined;
  return unpad(cipher(encrypted));
}

function unpad(padded: Buffer): string | undefined {
  const length = padded.readUInt16BE();
  if (length === 0 || padded.length !== LENGTH_BYTES + paddedLength(length)) return undefined;
  return decodeUtf8(padded.subarray(LENGTH_BYTES, LENGTH_BYTES + length));
}

/** Returns a text; undefined for bytes that are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns the padded length of a plaintext: 32, then multiples of an eighth of the next power of two, at least of 32. */
function paddedLength(length: number): number {
  if (length <= 32) return 32;
  const nextPower = 2 ** (Math.floor(Math.log2(length - 1)) + 1);
  const chunk = Math.max(32, nextPower / 8);
  return chunk * Math.ceil(length / chunk);
}

interface MessageKeys {
  /** Encrypts or decrypts: ChaCha20 (RFC 8439) is its own inverse. */
  cipher(data: Uint8Array): Buffer;
  mac(encrypted: Uint8Array): Buffer;
}

function messageKeys(key: Uint8Array, nonce: Uint8Array): MessageKeys {
  const bytes = expand(key, nonce);
  // OpenSSL's nonce has the block counter in front, 4 bytes that begin with zero.
  const iv = Buffer.concat([Buffer.alloc(4), bytes.subarray(32, 44)]);
  return {
    cipher: (data) => createCipheriv('chacha20', wrapKey(bytes.subarray(0, 32)), iv).update(data),
    mac: (encrypted) => hmacSha256(bytes.subarray(44), nonce, encrypted),
  };
}

/** HKDF-expand to 76 bytes (RFC 5869, section 2.3). The key is already the extracted one, and node:crypto offers only both steps together. */
function expand(key: Uint8Array, info: Uint8Array): Buffer {
  let block: Buffer = Buffer.alloc(0);
  const blocks = [1, 2, 3].map((counter) => {
    block = hmacSha256(key, block, info, Uint8Array.of(counter));
    return block;
  });
  return Buffer.concat(blocks).subarray(0, 76);
}
