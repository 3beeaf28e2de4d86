import { hash } from 'node:crypto';
import { isJsonObject } from '../kernel/json.ts';
import { signBip340, verifyBip340, xOnlyKeyOf } from '../kernel/secp256k1.ts';

/** An event before it is signed (NIP-01). */
export interface EventTemplate {
  /** Unix seconds. */
  readonly created_at: number;
  readonly kind: number;
  readonly tags: readonly (readonly string[])[];
  readonly content: string;
}

/** A signed event (NIP-01). Ids, keys and signatures are lower-case hex. */
export interface NostrEvent extends EventTemplate {
  /** SHA-256 of the serialized event, 64 digits. */
  readonly id: string;
  /** The x-only public key of the author, 64 digits. */
  readonly pubkey: string;
  /** The signature of the id (BIP-340), 128 digits. */
  readonly sig: string;
}

const MAX_KIND = 65_535;
/** Lists of followed keys have thousands of tags, but no event for this service has more than a few. */
const MAX_TAGS = 500;
const MAX_TAG_ITEMS = 500;
/** Of all tags and the content together, in UTF-16 units. Relays limit a whole message to 64 to 128 KiB. */
const MAX_TEXT_LENGTH = 131_072;

/** Returns the event in a parsed JSON value, without unknown fields; undefined for anything else. The id and the signature are not verified. */
export function readEvent(value: unknown): NostrEvent | undefined {
  if (!isJsonObject(value)) return undefined;
  const { id, pubkey, created_at, kind, tags, content, sig } = value;
  if (!isHex(id, 64) || !isHex(pubkey, 64) || !isHex(sig, 128)) return undefined;
  if (!isWholeNumber(created_at, Number.MAX_SAFE_INTEGER) || !isWholeNumber(kind, MAX_KIND)) return undefined;
  if (!areTags(tags) || !isText(content)) return undefined;
  const length = tags.flat().reduce((sum, item) => sum + item.length, content.length);
  return length > MAX_TEXT_LENGTH ? undefined : { id, pubkey, created_at, kind, tags, content, sig };
}

/** Returns the id of an event: SHA-256 of its serialization, in hex. */
export function eventId({ pubkey, created_at, kind, tags, content }: EventTemplate & { readonly pubkey: string }): string {
  return hash('sha256', JSON.stringify([0, pubkey, created_at, kind, tags, content]));
}

/** Signs an event. Takes 2 ms. @throws TypeError for bytes that are not a private key */
export function signEvent({ created_at, kind, tags, content }: EventTemplate, secretKey: Uint8Array): NostrEvent {
  const unsigned = { pubkey: publicKeyOf(secretKey), created_at, kind, tags, content };
  const id = eventId(unsigned);
  return { id, ...unsigned, sig: Buffer.from(signBip340(Buffer.from(id, 'hex'), secretKey)).toString('hex') };
}

/** Returns whether the id is that of the event and its author signed it. Takes 2 ms. */
export function verifyEvent(event: NostrEvent): boolean {
  const [id, pubkey, sig] = [event.id, event.pubkey, event.sig].map((hex) => Buffer.from(hex, 'hex')) as [Buffer, Buffer, Buffer];
  return eventId(event) === event.id && verifyBip340(id, pubkey, sig);
}

/** Returns the x-only public key, 64 digits. @throws TypeError for bytes that are not a private key */
export function publicKeyOf(secretKey: Uint8Array): string {
  return Buffer.from(xOnlyKeyOf(secretKey)).toString('hex');
}

/** Returns the first value of a tag, the item after its name; undefined without one. */
export function tagValue({ tags }: Pick<EventTemplate, 'tags'>, name: string): string | undefined {
  return tags.find(([tag]) => tag === name)?.[1];
}

/** Returns whether a value is lower-case hex of a length. */
export function isHex(value: unknown, length: number): value is string {
  return typeof value === 'string' && value.length === length && /^[0-9a-f]+$/.test(value);
}

function isWholeNumber(value: unknown, max: number): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max;
}

function areTags(value: unknown): value is string[][] {
  if (!Array.isArray(value) || value.length > MAX_TAGS) return false;
  return value.every((tag) => Array.isArray(tag) && tag.length > 0 && tag.length <= MAX_TAG_ITEMS && tag.every(isText));
}

/** A lone surrogate has no UTF-8, so implementations disagree about the id of its event. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed();
}
