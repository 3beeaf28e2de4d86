import { createDecipheriv } from 'node:crypto';
import { wrapKey } from '../kernel/crypto.ts';
import { shownText } from '../kernel/shown-text.ts';

/** What the payee shows after the payment (LUD-09, LUD-10), as it is stored. */
export type StoredAction =
  | { readonly tag: 'message'; readonly message: string }
  | { readonly tag: 'url'; readonly description: string; readonly url: string }
  | { readonly tag: 'aes'; readonly description: string; readonly ciphertext: string; readonly iv: string };

/** The same for the payer. Its texts come from another service: escape them where they are shown. */
export type RevealedAction =
  | Extract<StoredAction, { tag: 'message' | 'url' }>
  /** `plaintext` is null if it cannot be decrypted. */
  | { readonly tag: 'aes'; readonly description: string; readonly plaintext: string | null };

/** LUD-10: the maximum length of the ciphertext, in characters of base64. */
export const MAX_CIPHERTEXT = 4096;

/** Returns the success action of a settled payment. The preimage decrypts an `aes` action. */
export function revealSuccessAction(stored: string, preimage: string): RevealedAction {
  const action = JSON.parse(stored) as StoredAction;
  if (action.tag !== 'aes') return action;
  const { tag, description, ciphertext, iv } = action;
  return { tag, description, plaintext: decrypt(Buffer.from(ciphertext, 'base64'), Buffer.from(iv, 'base64'), preimage) };
}

/** LUD-10: AES-256-CBC with the preimage as its key, and UTF-8. */
function decrypt(ciphertext: Uint8Array, iv: Uint8Array, preimage: string): string | null {
  try {
    const decipher = createDecipheriv('aes-256-cbc', wrapKey(Buffer.from(preimage, 'hex')), iv);
    const plain = Buffer.concat([decipher.update(ciphertext), decipher.final()]);
    return shownText(new TextDecoder('utf-8', { fatal: true }).decode(plain), MAX_CIPHERTEXT, { keepLines: true });
  } catch {
    return null;
  }
}
