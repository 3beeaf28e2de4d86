import { isJsonObject } from '../../../core/kernel/json.ts';
import { shownText } from '../../../core/kernel/shown-text.ts';
import { brokenResponse } from './response.ts';

/** The description of a payee (LUD-06, LUD-16), for people. Its texts come from another service: escape them where they are shown. */
export interface PayeeDescription {
  readonly text: string;
  readonly longDescription: string | undefined;
  /** `name@domain`, as the payee states it. */
  readonly identifier: string | undefined;
  /** A data URL of a PNG or JPEG image. */
  readonly image: string | undefined;
}

const MAX_ENTRIES = 100;
const MAX_TEXT = 1000;
const MAX_LONG_TEXT = 10_000;
const MAX_IDENTIFIER = 320;
/** LUD-06: 100 kB of image data in base64. */
const MAX_IMAGE = 136_536;
/** All of the above. */
const MAX_METADATA = 200_000;

/** Parses the metadata. The invoice commits to the unparsed text. @throws Refusal `lnurl_refused` */
export function readMetadata(domain: string, metadata: unknown): { text: string; description: PayeeDescription } {
  if (typeof metadata !== 'string' || metadata.length > MAX_METADATA)
    throw brokenResponse(domain, 'has no text, or too long a text, in `metadata`');
  const entries = entriesOf(metadata);
  if (!entries) throw brokenResponse(domain, 'has `metadata` that is not a JSON array of arrays');
  const textOf = (...types: string[]) =>
    entries.find(([type, value]) => types.includes(type) && typeof value === 'string')?.[1] as string | undefined;
  const text = textOf('text/plain');
  if (text === undefined) throw brokenResponse(domain, 'has `metadata` without text/plain');
  const longText = textOf('text/long-desc');
  const identifier = textOf('text/identifier', 'text/email');
  return {
    text: metadata,
    description: {
      text: shownText(text, MAX_TEXT),
      longDescription: longText === undefined ? undefined : shownText(longText, MAX_LONG_TEXT, { keepLines: true }),
      identifier: identifier === undefined ? undefined : shownText(identifier, MAX_IDENTIFIER),
      image: imageUrl('image/png', textOf('image/png;base64')) ?? imageUrl('image/jpeg', textOf('image/jpeg;base64')),
    },
  };
}

function entriesOf(metadata: string): [string, unknown][] | undefined {
  const parsed = parseJson(metadata);
  if (!Array.isArray(parsed) || parsed.length > MAX_ENTRIES) return undefined;
  const isEntry = (entry: unknown) => Array.isArray(entry) && typeof entry[0] === 'string';
  return parsed.every(isEntry) ? parsed : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function imageUrl(type: string, base64: string | undefined): string | undefined {
  if (base64 === undefined || base64.length > MAX_IMAGE || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined;
  return `data:${type};base64,${base64}`;
}

/** The kinds of payer data that a payee accepts (LUD-18), and whether it requires them. */
export type AcceptedPayerData = ReadonlyMap<string, { readonly isMandatory: boolean }>;

const MAX_PAYER_FIELDS = 20;

/** Returns undefined if the payee accepts none. Entries that are no objects are left out, as for an unknown kind of entry. */
export function readAcceptedPayerData(payerData: unknown): AcceptedPayerData | undefined {
  if (!isJsonObject(payerData)) return undefined;
  const accepted = Object.entries(payerData)
    .filter(([name, entry]) => /^[a-zA-Z0-9_-]{1,40}$/.test(name) && isJsonObject(entry))
    .slice(0, MAX_PAYER_FIELDS)
    .map(([name, entry]) => [name, { isMandatory: (entry as { mandatory?: unknown }).mandatory === true }] as const);
  return new Map(accepted);
}
