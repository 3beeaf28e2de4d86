import { bech32 } from '@scure/base';
import { amountText } from '../../devnet/fake/bolt11-encoder.ts';

/** The key that signs the examples of BOLT11. */
export const SPEC_PRIVATE_KEY = 'e126f68f7eafcc8b74f54d269fe206be715000f94dac067d1c04a8ca3b2db734';
export const SPEC_PAYEE = '03e7156ae33b0a208d0744199163177e909e80176e55d97a2f221ede0f934dd9ad';

const SIGNATURE_WORDS = 104;

/** Returns the text with another amount and a new checksum. The signature is unchanged, so it recovers to another key. */
export function forgeAmount(invoice: string, amountMsat: number): string {
  const { prefix, words } = bech32.decode(invoice, false);
  const network = /^ln(?:bcrt|tbs|bc|tb)/.exec(prefix)?.[0] ?? prefix;
  return bech32.encode(network + amountText(amountMsat), words, false);
}

/** Returns the text with changed words and a new checksum. The signature is unchanged. */
export function forgeWords(invoice: string, change: (signed: number[]) => number[]): string {
  const { prefix, words } = bech32.decode(invoice, false);
  return bech32.encode(prefix, [...change(words.slice(0, -SIGNATURE_WORDS)), ...words.slice(-SIGNATURE_WORDS)], false);
}
