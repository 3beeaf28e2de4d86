import { bech32 } from '@scure/base';

/** A text that is not an LNURL, or an address that cannot be made one. The message never repeats the input. */
export class InvalidLnurl extends Error {
  override readonly name = 'InvalidLnurl';
}

const PREFIX = 'lnurl';

/** What the largest QR code holds in upper case; leaves about 2,670 bytes for the address. */
const MAX_LENGTH = 4_296;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Encodes an http or https address as an LNURL in upper case, which QR codes hold more tightly.
 * Source: LUD-01.
 * @throws InvalidLnurl when it is no such address, or too long.
 */
export function encodeLnurl(url: string): string {
  const words = bech32.toWords(new TextEncoder().encode(webAddress(url)));
  const text = bech32.encode(PREFIX, words, false);
  if (text.length > MAX_LENGTH) throw new InvalidLnurl('the address is too long');
  return text.toUpperCase();
}

/**
 * Decodes an LNURL in either case, with or without `lightning:`, to the http or https address in it. Whether that address may be
 * fetched is for the caller to decide: it is the text of a stranger.
 * Source: LUD-01.
 * @throws InvalidLnurl
 */
export function decodeLnurl(text: string): string {
  const bare = text.trim().replace(/^lightning:/i, '');
  if (bare.length > MAX_LENGTH) throw new InvalidLnurl('the LNURL is too long');
  // The throwing decoder would quote the text in its error.
  const decoded = bech32.decodeUnsafe(bare, false);
  if (!decoded) throw new InvalidLnurl('the LNURL is not bech32, or a character is wrong');
  if (decoded.prefix !== PREFIX) throw new InvalidLnurl('this is not an LNURL');
  return webAddress(readText(decoded.words));
}

function readText(words: number[]): string {
  const bytes = bech32.fromWordsUnsafe(words);
  if (!bytes) throw new InvalidLnurl('the LNURL is not padded with zeros to a whole word');
  try {
    return utf8.decode(bytes);
  } catch {
    throw new InvalidLnurl('the LNURL is not UTF-8');
  }
}

function webAddress(url: string): string {
  // The URL parser drops tabs and line breaks and trims spaces; two readers would then see two addresses in one text.
  if (/[\s\p{Cc}\p{Cs}]/u.test(url)) throw new InvalidLnurl('the address has spaces or control characters');
  const protocol = URL.parse(url)?.protocol;
  if (protocol !== 'https:' && protocol !== 'http:') throw new InvalidLnurl('the LNURL does not hold an http or https address');
  return url;
}
