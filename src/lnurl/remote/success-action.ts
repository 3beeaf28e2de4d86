import { createDecipheriv } from 'node:crypto';
import { isJsonObject } from '../../kernel/json.ts';
import { brokenResponse, type RemoteObject } from './response.ts';
import { shownText } from './shown-text.ts';

/** What the payee shows after the payment (LUD-09, LUD-10), as it is stored. */
type StoredAction =
  | { readonly tag: 'message'; readonly message: string }
  | { readonly tag: 'url'; readonly description: string; readonly url: string }
  | { readonly tag: 'aes'; readonly description: string; readonly ciphertext: string; readonly iv: string };

/** The same for the payer. Its texts come from another service: escape them where they are shown. */
export type SuccessAction =
  | Extract<StoredAction, { tag: 'message' | 'url' }>
  /** `plaintext` is null if it cannot be decrypted. */
  | { readonly tag: 'aes'; readonly description: string; readonly plaintext: string | null };

/** LUD-09 allows 144 characters. Longer texts are common enough that payments to their services should not fail. */
const MAX_TEXT = 1000;
const MAX_URL = 2000;
/** LUD-10. */
const MAX_CIPHERTEXT = 4096;
const AES_BLOCK_BYTES = 16;

/**
 * Checks the success action of a payee before it is paid. LUD-09: a payer that cannot show it must not pay.
 * @returns the JSON text to store, or undefined if there is none.
 * @throws Refusal `lnurl_refused`
 */
export function readSuccessAction(domain: string, callback: URL, action: unknown): string | undefined {
  if (action === undefined || action === null) return undefined;
  const stored = isJsonObject(action) ? storedAction(callback, action) : undefined;
  if (!stored) throw brokenResponse(domain, 'has a `successAction` that is unknown, malformed or of another domain');
  return JSON.stringify(stored);
}

function storedAction(callback: URL, { tag, message, description, url, ciphertext, iv }: RemoteObject): StoredAction | undefined {
  switch (tag) {
    case 'message':
      return isText(message) ? { tag, message: clean(message) } : undefined;
    case 'url':
      return isText(description) && isUrlOf(callback, url) ? { tag, description: clean(description), url: new URL(url).href } : undefined;
    case 'aes':
      if (!isText(description) || !isBase64(iv) || !isBase64(ciphertext) || ciphertext.length > MAX_CIPHERTEXT) return undefined;
      if (bytesOf(iv) !== AES_BLOCK_BYTES || bytesOf(ciphertext) === 0 || bytesOf(ciphertext) % AES_BLOCK_BYTES !== 0) return undefined;
      return { tag, description: clean(description), ciphertext, iv };
    default:
      return undefined;
  }
}

/** Returns the success action of a settled payment. The preimage decrypts an `aes` action. */
export function revealSuccessAction(stored: string, preimage: string): SuccessAction {
  const action = JSON.parse(stored) as StoredAction;
  if (action.tag !== 'aes') return action;
  const { tag, description, ciphertext, iv } = action;
  return { tag, description, plaintext: decrypt(Buffer.from(ciphertext, 'base64'), Buffer.from(iv, 'base64'), preimage) };
}

/** LUD-10: AES-256-CBC with the preimage as its key, and UTF-8. */
function decrypt(ciphertext: Uint8Array, iv: Uint8Array, preimage: string): string | null {
  try {
    const decipher = createDecipheriv('aes-256-cbc', Buffer.from(preimage, 'hex'), iv);
    const plain = Buffer.concat([decipher.update(ciphertext), decipher.final()]);
    return shownText(new TextDecoder('utf-8', { fatal: true }).decode(plain), MAX_CIPHERTEXT, { keepLines: true });
  } catch {
    return null;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_TEXT;
}

function clean(text: string): string {
  return shownText(text, MAX_TEXT, { keepLines: true });
}

/** LUD-09: "url domain must be the same as `callback` domain". */
function isUrlOf(callback: URL, value: unknown): value is string {
  if (typeof value !== 'string' || value.length > MAX_URL || /[\s\p{Cc}\p{Cs}]/u.test(value)) return false;
  const url = URL.parse(value);
  if (url?.hostname !== callback.hostname || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || url.protocol === callback.protocol;
}

function isBase64(value: unknown): value is string {
  return typeof value === 'string' && value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value);
}

function bytesOf(base64: string): number {
  return Buffer.from(base64, 'base64').length;
}
