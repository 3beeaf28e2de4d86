import { createCipheriv, randomBytes } from 'node:crypto';
import { wrapKey } from '../../../core/kernel/crypto.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';

/** What a payer sees after paying (LUD-09, LUD-10). `aes` keeps its text secret until the payment. */
export type SuccessAction =
  | { readonly tag: 'message'; readonly message: string }
  | { readonly tag: 'url'; readonly description: string; readonly url: string }
  | { readonly tag: 'aes'; readonly description: string; readonly text: string };

/** LUD-09 and LUD-10. */
const MAX_LENGTH = 144;
/** LUD-10 allows 4 kB of ciphertext in base64. */
const MAX_SECRET_BYTES = 2_000;
const MAX_URL_LENGTH = 1_000;

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  message: ['tag', 'message'],
  url: ['tag', 'description', 'url'],
  aes: ['tag', 'description', 'text'],
};

/**
 * Reads the field of a pay link; undefined for an empty object. The URL must have the domain of the callback, as LUD-09 requires.
 * @throws Refusal
 */
export function readSuccessAction(value: object, publicUrl: string): SuccessAction | undefined {
  if (Object.keys(value).length === 0) return undefined;
  const fields = value as Record<string, unknown>;
  const names = typeof fields.tag === 'string' && Object.hasOwn(FIELDS, fields.tag) ? FIELDS[fields.tag] : undefined;
  if (!names || !hasOnlyTexts(fields, names)) throw refused(`must be ${FORMS}`);
  for (const name of ['message', 'description'])
    if (typeof fields[name] === 'string' && Array.from(fields[name]).length > MAX_LENGTH)
      throw refused(`must have at most ${MAX_LENGTH} characters in ${name}`);
  if (fields.tag === 'url') requireOwnUrl(fields.url as string, publicUrl);
  if (fields.tag === 'aes' && Buffer.byteLength(fields.text as string) > MAX_SECRET_BYTES)
    throw refused(`must have at most ${MAX_SECRET_BYTES} bytes in text`);
  return value as SuccessAction;
}

const FORMS =
  '{"tag": "message", "message": …}, {"tag": "url", "description": …, "url": …} or {"tag": "aes", "description": …, "text": …}, with texts that are not empty';

function refused(rule: string): Refusal {
  return new Refusal('validation_failed', `\`lnurlp_successAction\` ${rule}.`);
}

function hasOnlyTexts(fields: Record<string, unknown>, names: readonly string[]): boolean {
  const isText = (value: unknown) => typeof value === 'string' && value !== '' && value.isWellFormed() && !value.includes('\0');
  return Object.keys(fields).length === names.length && names.every((name) => isText(fields[name]));
}

function requireOwnUrl(text: string, publicUrl: string): void {
  const own = new URL(publicUrl);
  const url = URL.parse(text);
  const isOwn = url && /^https?:$/.test(url.protocol) && url.hostname === own.hostname && url.username === '' && url.password === '';
  if (!isOwn || text.length > MAX_URL_LENGTH || /[\s\p{Cc}]/u.test(text))
    throw refused(`must have an http or https address of ${own.hostname} in url, of at most ${MAX_URL_LENGTH} characters`);
}

/** Returns the action as the wallet of a payer gets it with one invoice, whose preimage is the key of the text (LUD-10). */
export function sentSuccessAction(action: SuccessAction, preimage: string) {
  if (action.tag !== 'aes') return action;
  const iv = randomBytes(16);
  const cipher = createCipheriv('aes-256-cbc', wrapKey(Buffer.from(preimage, 'hex')), iv);
  const ciphertext = Buffer.concat([cipher.update(action.text, 'utf8'), cipher.final()]);
  return { tag: 'aes', description: action.description, ciphertext: ciphertext.toString('base64'), iv: iv.toString('base64') };
}
