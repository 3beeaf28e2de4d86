import { bech32 } from '@scure/base';
import { isXOnlyKey } from '../kernel/secp256k1.ts';
import { isHex } from './event.ts';

const PREFIX = 'npub';

/** Reads a public key in hex or as `npub…` (NIP-19). @returns 64 lower-case hex digits; undefined for any other text and for a key that is not on the curve */
export function readPublicKey(text: string): string | undefined {
  const hex = text.toLowerCase();
  const bytes = isHex(hex, 64) ? Buffer.from(hex, 'hex') : npubBytes(text);
  return bytes && isXOnlyKey(bytes) ? bytes.toString('hex') : undefined;
}

function npubBytes(text: string): Buffer | undefined {
  const decoded = bech32.decodeUnsafe(text);
  const bytes = decoded?.prefix === PREFIX ? bech32.fromWordsUnsafe(decoded.words) : undefined;
  return bytes ? Buffer.from(bytes) : undefined;
}
