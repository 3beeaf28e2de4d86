import { bech32 } from '@scure/base';

/** A text is not an LNURL, or a URL cannot be encoded as one. The message never contains the input. */
export class InvalidLnurl extends Error {
  override readonly name = 'InvalidLnurl';
}

const PREFIX = 'lnurl';

/** The capacity of the largest QR code in upper case. It leaves about 2,670 bytes for the URL. */
export const MAX_LNURL_LENGTH = 4_296;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Encodes an http or https URL as an LNURL in upper case, which makes QR codes smaller.
 * Source: LUD-01.
 * @throws InvalidLnurl if it is not such a URL, or too long.
 */
export function encodeLnurl(url: string): string {
  const words = bech32.toWords(new TextEncoder().encode(webAddress(url)));
  const text = bech32.encode(PREFIX, words, false);
  if (text.length > MAX_LNURL_LENGTH) throw new InvalidLnurl('the URL is too long');
  return text.toUpperCase();
}

/**
 * Decodes an LNURL in either case to its http or https URL. The URL is untrusted input: the caller decides whether to fetch it.
 * Source: LUD-01.
 * @throws InvalidLnurl
 */
export function decodeLnurl(text: string): string {
  if (text.length > MAX_LNURL_LENGTH) throw new InvalidLnurl('the LNURL is too long');
  // The decoder that throws would include the text in its error.
  const decoded = bech32.decodeUnsafe(text, false);
  if (!decoded) throw new InvalidLnurl('the LNURL is not valid bech32');
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
  // The URL parser removes tabs, line breaks and outer spaces, so two parsers could read different URLs from one text.
  if (/[\s\p{Cc}\p{Cs}]/u.test(url)) throw new InvalidLnurl('the URL has spaces or control characters');
  const protocol = URL.parse(url)?.protocol;
  if (protocol !== 'https:' && protocol !== 'http:') throw new InvalidLnurl('the LNURL does not contain an http or https URL');
  return url;
}
