import { isJsonObject } from '../../../core/kernel/json.ts';
import { shownText } from '../../../core/kernel/shown-text.ts';
import { MAX_CIPHERTEXT, type StoredAction } from '../../../core/payments/success-action.ts';
import { brokenResponse, type RemoteObject } from './response.ts';

/** LUD-09 allows 144 characters. Longer texts are common enough that payments to their services should not fail. */
const MAX_TEXT = 1000;
const MAX_URL = 2000;
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
