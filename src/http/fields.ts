import { type TProperties, type TSchema, Type } from 'typebox';
import { KEY_KINDS, parseKey } from '../core/accounts/keys.ts';
import { EVENT_NAMES, type EventType, isEventType } from '../core/journal/event-types.ts';
import { isDeeperThan } from '../core/kernel/json.ts';
import { MAX_MSAT } from '../core/kernel/money.ts';
import { Refusal } from '../core/kernel/refusal.ts';
import { isPublicKey } from '../core/kernel/secp256k1.ts';
import { anyObject } from './responses/response-types.ts';

/** The body of a request. Other fields are rejected. */
export function requestBody<T extends TProperties>(fields: T) {
  return Type.Object(fields, { additionalProperties: false });
}

export const MAX_SAT = Math.floor(MAX_MSAT / 1000);

export const NumSatoshis = Type.Integer({
  minimum: 1,
  maximum: MAX_SAT,
  unit: 'satoshis',
  description: 'The amount in whole satoshis. 1 satoshi is 1000 millisatoshis',
});
/** For an invoice: 0 or absent means any amount. */
export const NumSatoshisOrAny = Type.Integer({
  minimum: 1,
  maximum: MAX_SAT,
  zeroIsAbsent: true,
  unit: 'satoshis',
  description: 'The amount in whole satoshis. Without it the payer chooses the amount',
});
const AmountMsat = Type.Integer({ minimum: 0, maximum: MAX_MSAT, unit: 'millisatoshis' });
export const PositiveMsat = Type.Integer({ minimum: 1, maximum: MAX_MSAT, unit: 'millisatoshis' });
export const FeeLimit = {
  ...AmountMsat,
  description:
    'The most that routing may cost, in millisatoshis, in addition to the amount. It is held until the payment ends; what routing did not ' +
    'cost is returned. 0: only routes without a fee. Default: 5 % of the amount, at least 10000. Never more than the balance minus the amount',
};
export const LinkFeeLimit = {
  ...AmountMsat,
  description:
    'The most that routing of one claim may cost, in millisatoshis, in addition to the amount. Default: 1 % of the amount, at least 1000',
};
/** A BOLT11 `d` field holds 639 bytes; {@link memoText} checks the bytes. */
export const Memo = Type.String({ maxLength: 639, description: 'A description for people. At most 639 bytes in UTF-8' });
export const UserLabel = Type.String({ maxLength: 255, description: 'A label of your choice, for people' });
/** For a change: null and "" clear the label. */
export const ChangedLabel = Type.String({
  maxLength: 255,
  clearable: true,
  description: 'A label of your choice, for people. null or an empty text clears it',
});
export const Expiry = Type.Integer({ minimum: 60, maximum: 31_536_000, unit: 'seconds', zeroIsAbsent: true });
export const PassThru = anyObject(
  'A JSON object of your own, at most 4 kB and 8 levels deep: an order number, a user id. The service stores it and returns it with the ' +
    'transaction; lists can be searched by it',
);
/** Of 32 bytes in hex: a payment hash, a preimage, a challenge. */
export const HEX_32 = { pattern: '^[0-9a-fA-F]{64}$', rule: '64 hexadecimal characters' };
export const Pubkey = Type.String({
  pattern: '^0[23][0-9a-fA-F]{64}$',
  rule: 'a public key: 66 hexadecimal characters that begin with 02 or 03',
  description: 'The public key of a Lightning node: 33 bytes in hex',
});
export const Email = Type.String({
  maxLength: 254,
  pattern: '^[^\\s@]+@[^\\s@]+$',
  rule: 'an e-mail address such as name@example.com',
  description: 'The e-mail, which is the name of the login. Upper case counts as lower case',
});
/** A BOLT11 invoice. */
export const PaymentRequest = Type.String({ maxLength: 8000, description: 'A BOLT11 invoice' });
export const CustomRecords = anyObject(
  'TLV records for the receiver: type (65536 or more) → text, or an object, which is sent as JSON. At most 1100 bytes',
);

/** The longest wait. It is less than the time after which an idle connection is closed (server.ts). */
const MAX_WAIT_SECONDS = 60;

export const WaitQuery = Type.Object({
  wait: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_WAIT_SECONDS,
      unit: 'seconds',
      description:
        'While `status` is `open`, `pending` or `arriving`, the response waits until it changes, at most this number of seconds. It is sent at once ' +
        'when too many requests of the key, the account or the service wait. Default: no wait',
    }),
  ),
});

/** The end of the year 9999. */
export const END_OF_TIME = 253_402_300_799;

/** A time in a request, in Unix seconds. */
export function unixTime(description: string) {
  return Type.Integer({ minimum: 0, maximum: END_OF_TIME, unit: 'Unix seconds', description });
}

/** A request field that takes one of these words. */
export function choice<const T extends string>(words: readonly T[], options: { description: string; mayBeEmpty?: boolean }) {
  return Type.Unsafe<T>({ type: 'string', enum: [...words], ...options });
}

/** The same schema with another description. */
export function described<T extends TSchema>(schema: T, description: string): T {
  return { ...schema, description };
}

const PASS_THRU_BYTES = 4096;
const MAX_DEPTH = 8;

/** The JSON text of a `passThru`. @throws Refusal when it is too large or nested too deep. */
export function passThruText(passThru: object | undefined): string | undefined {
  return passThru && passThruWith(passThru, {});
}

/** The JSON text of a `passThru` with fields of the service, unless it has them itself. @throws Refusal like {@link passThruText}. */
export function passThruWith(passThru: object | undefined, added: Readonly<Record<string, string>>): string {
  requireShallow('passThru', passThru);
  const text = JSON.stringify({ ...added, ...passThru });
  if (Buffer.byteLength(text) <= PASS_THRU_BYTES) return text;
  const names = Object.keys(added).map((name) => `\`${name}\``);
  const withNames = names.length > 0 ? ` with ${names.join(' and ')}` : '';
  throw new Refusal('validation_failed', `\`passThru\`${withNames} must be at most ${PASS_THRU_BYTES} bytes of JSON.`);
}

/** Before it is written as JSON, which recurses. @throws Refusal */
function requireShallow(name: string, value: object | undefined): void {
  if (isDeeperThan(MAX_DEPTH, value))
    throw new Refusal('validation_failed', `\`${name}\` must not be nested deeper than ${MAX_DEPTH} levels.`);
}

/** Returns an e-mail as it is stored and compared. @throws Refusal */
export function emailText(text: string): string {
  return plainText('email', text).normalize('NFC').toLowerCase();
}

const MEMO_BYTES = 639;

/** @throws Refusal when a database or an invoice could not store the text unchanged. */
export function plainText(name: string, text: string): string {
  // A lone surrogate cannot be written in UTF-8 and read back; PostgreSQL has no NUL in a text.
  if (!text.isWellFormed() || text.includes('\u0000'))
    throw new Refusal('validation_failed', `\`${name}\` must be valid Unicode text, without the character U+0000.`);
  return text;
}

/** Returns the event types with these names, each once. @throws Refusal for a name that is not one */
export function eventTypes(name: string, values: readonly string[]): EventType[] {
  const known = values.filter(isEventType);
  if (known.length === values.length) return [...new Set(known)];
  throw new Refusal('validation_failed', `\`${name}\` must be names of events: ${EVENT_NAMES.join(', ')}.`);
}

/** @throws Refusal when the memo does not fit into an invoice. It is never shortened. */
export function memoText(memo: string | undefined, name = 'memo'): string {
  if (memo === undefined) return '';
  if (Buffer.byteLength(memo) > MEMO_BYTES)
    throw new Refusal('validation_failed', `\`${name}\` must be at most ${MEMO_BYTES} bytes in UTF-8.`);
  return plainText(name, memo);
}

/**
 * TLV records of a keysend (bLIP 10): types from 65536, values as text or as an object, which is sent as its JSON.
 * @returns type → value in hex.
 * @throws Refusal naming the record.
 */
export function customRecordsHex(records: object | undefined): Record<string, string> {
  requireShallow('custom_records', records);
  const hex: Record<string, string> = {};
  let bytes = 0;
  const entries = Object.entries(records ?? {});
  if (entries.length > MAX_CUSTOM_RECORDS)
    throw new Refusal('validation_failed', `\`custom_records\` must be at most ${MAX_CUSTOM_RECORDS} records.`);
  for (const [type, value] of entries) {
    if (!/^[1-9][0-9]{4,15}$/.test(type) || Number(type) < 65_536 || !Number.isSafeInteger(Number(type))) {
      throw new Refusal('validation_failed', '`custom_records` must have TLV types as keys: whole numbers, 65536 or more.');
    }
    // LDK uses this type itself.
    if (type === '77777') throw new Refusal('validation_failed', '`custom_records` must not contain 77777: it is reserved.');
    if (type === '5482373484')
      throw new Refusal(
        'validation_failed',
        '`custom_records` must not contain 5482373484: it carries the preimage, and the node sets it.',
      );
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (!text.isWellFormed()) throw new Refusal('validation_failed', '`custom_records` must have valid Unicode text as values.');
    bytes += Buffer.byteLength(text);
    hex[type] = Buffer.from(text, 'utf8').toString('hex');
  }
  if (bytes > CUSTOM_RECORDS_BYTES)
    throw new Refusal('validation_failed', `\`custom_records\` must be at most ${CUSTOM_RECORDS_BYTES} bytes in all.`);
  return hex;
}

/** The size that fits into an onion with the other fields. */
const CUSTOM_RECORDS_BYTES = 1100;
/** Even an empty record needs ten bytes, for its type and its length. */
const MAX_CUSTOM_RECORDS = 64;

/** Returns a public key in lower case. @throws Refusal unless it is a point of the curve */
export function publicKey(name: string, text: string): string {
  const key = text.toLowerCase();
  if (isPublicKey(key)) return key;
  throw new Refusal(
    'validation_failed',
    `\`${name}\` must be a public key: its x coordinate is not on the curve secp256k1. Check it for typing errors.`,
  );
}

/** `{key}` in a path. */
export const KeyParams = Type.Object({
  key: Type.String({
    description: "An access key of the wallet (`waka_…`, `waki_…`, `wakr_…`) or, with a secret API key, the wallet's id (`wal_…`)",
  }),
});

const SHORTEST_KEY = 20;

/** Links of the response repeat what a list is searched by. @throws Refusal for a key that is a secret */
export function requireNoKey(name: string, text: string): void {
  const key = text.length < SHORTEST_KEY ? undefined : parseKey(text);
  if (key && !KEY_KINDS[key.kind].isPublic) throw new Refusal('validation_failed', `${name} must not be an API key: send it as X-Api-Key.`);
}
