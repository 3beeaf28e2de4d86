import { hash, randomBytes } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE = ALPHABET.length;
const TIME_CHARS = 8;
const COUNTER_CHARS = 2;
const RANDOM_CHARS = 12;
const COUNTER_LIMIT = BASE ** COUNTER_CHARS;
/** A clock that is set back by more than this is followed. Otherwise all ids after a moment with a wrong clock would lie in the future. */
const MAX_SETBACK_MS = 60_000;

/** Length of an id without its prefix. */
export const ID_LENGTH = TIME_CHARS + COUNTER_CHARS + RANDOM_CHARS;

let lastMs = 0;
let lastMsText = '';
let counter = 0;
let pool = Buffer.alloc(0);
let poolOffset = 0;

/**
 * Returns a new time-ordered id: 8 characters of milliseconds, 2 of a counter within the millisecond, 12 random (71 bits). The ids of one
 * process sort bytewise in the order in which they were created, unless its clock is set back by more than a minute.
 */
export function newId(nowMs: number = Date.now()): string {
  if (nowMs > lastMs || nowMs < lastMs - MAX_SETBACK_MS) {
    lastMs = nowMs;
    counter = 0;
  } else if (++counter === COUNTER_LIMIT) {
    // More than 3,844 ids in one millisecond, or a clock that was set back a little: use the next millisecond to keep the order.
    lastMs += 1;
    counter = 0;
  }
  // Encode once per millisecond.
  if (counter === 0) lastMsText = encodeBase62(lastMs, TIME_CHARS);
  return lastMsText + encodeBase62(counter, COUNTER_CHARS) + randomText(RANDOM_CHARS);
}

/**
 * Returns new ids, at most 3,844, in their order: all have the time and the random part of the first, and differ in the counter.
 * {@link idsFrom} makes them from the first.
 */
export function newIds(count: number, nowMs: number = Date.now()): string[] {
  const id = newId(nowMs);
  return idsFrom(id.slice(0, TIME_CHARS) + encodeBase62(0, COUNTER_CHARS) + id.slice(TIME_CHARS + COUNTER_CHARS), count);
}

/** Returns the ids of {@link newIds} from the first one. */
export function idsFrom(first: string, count: number): string[] {
  if (count > COUNTER_LIMIT) throw new RangeError(`at most ${COUNTER_LIMIT} ids have one time`);
  const [time, random] = [first.slice(0, TIME_CHARS), first.slice(TIME_CHARS + COUNTER_CHARS)];
  return Array.from({ length: count }, (_, index) => time + encodeBase62(index, COUNTER_CHARS) + random);
}

/** Returns the ids of a text that separates them by spaces; none for an empty text. */
export function splitIds(text: string): string[] {
  return text.split(' ').filter(Boolean);
}

/** Returns the smallest id of a moment. Ids that were created earlier sort before it. */
export function firstIdAt(ms: number): string {
  return encodeBase62(ms, TIME_CHARS);
}

/** Whether a text has the form of an id with a prefix. Other texts need not be looked up. */
export function isId(text: string): boolean {
  return /^[a-z]{2,8}_[0-9A-Za-z]{1,40}$/.test(text);
}

/** Returns whether a text has the form of an id that {@link newId} created, with this prefix. */
export function isIdOf(prefix: string, text: string): boolean {
  return text.length === prefix.length + 1 + ID_LENGTH && text.startsWith(`${prefix}_`) && isId(text);
}

/** The ids that LNPay gave: random letters and digits, or hexadecimal ones that derive from a name which the client chose. */
const LNPAY_WALLET_ID = /^(?:(wal)_([0-9A-Za-z]{8,21})|(walx)_([0-9a-f]{8,32}))$/;
const LNPAY_LINK_ID = /^lnurlp_[0-9A-Za-z]{8,21}$/;

/** Returns whether a text has the form of the id of a wallet: a new one, or one that a wallet imported from LNPay has kept. */
export function isWalletId(text: string): boolean {
  return isIdOf('wal', text) || LNPAY_WALLET_ID.test(text);
}

/** Returns whether a text has the form of the id of a pay link: a new one, or one that was imported from LNPay. */
export function isPayLinkId(text: string): boolean {
  return isIdOf('lnurlp', text) || LNPAY_LINK_ID.test(text);
}

/** The first byte of {@link walletIdBytes}, to which the length is added. That of a new id is less than 8. */
const FIRST_BYTE = { walx: 0x40, wal: 0x80 } as const;

/** Returns the id of a wallet in 17 bytes. */
export function walletIdBytes(walletId: string): Buffer {
  const [, wal, letters, walx, digits] = LNPAY_WALLET_ID.exec(walletId) ?? [];
  if (wal === undefined && walx === undefined) return idBytes(walletId.slice('wal_'.length));
  const bytes = letters === undefined ? Buffer.from((digits ?? '').padStart(2 * ID_BYTES, '0'), 'hex') : idBytes(letters);
  bytes[0] = letters === undefined ? FIRST_BYTE.walx + (digits ?? '').length : FIRST_BYTE.wal + letters.length;
  return bytes;
}

/** Returns the id of {@link walletIdBytes}; undefined for other bytes. */
export function walletIdFromBytes(bytes: Uint8Array): string | undefined {
  const [first = 0] = bytes;
  const rest = Buffer.from(bytes);
  rest[0] = 0;
  const id =
    first >= FIRST_BYTE.wal
      ? `wal_${idFromBytes(rest)?.slice(FIRST_BYTE.wal - first)}`
      : first >= FIRST_BYTE.walx
        ? `walx_${rest.toString('hex').slice(FIRST_BYTE.walx - first)}`
        : `wal_${idFromBytes(bytes)}`;
  return isWalletId(id) && walletIdBytes(id).equals(bytes) ? id : undefined;
}

/** The bytes of {@link idBytes}: an id has 131 bits. */
export const ID_BYTES = 17;

/** Returns the 22 letters and digits of an id without its prefix as a number of 17 bytes. */
export function idBytes(text: string): Buffer {
  let value = 0n;
  for (const letter of text) value = value * BigInt(BASE) + BigInt(ALPHABET.indexOf(letter));
  return Buffer.from(value.toString(16).padStart(2 * ID_BYTES, '0'), 'hex');
}

/** Returns the id of {@link idBytes}; undefined for a number that is too large for one. */
export function idFromBytes(bytes: Uint8Array): string | undefined {
  let value = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (let i = 0; i < ID_LENGTH; i++) {
    text = ALPHABET[Number(value % BigInt(BASE))] + text;
    value /= BigInt(BASE);
  }
  return value === 0n ? text : undefined;
}

/** Returns random letters and digits, 5.95 bits each, from the system's secure source. */
export function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    const byte = nextByte();
    // 248 = 4 × 62. Larger bytes would make the first letters of the alphabet more likely.
    if (byte < 248) text += ALPHABET[byte % BASE];
  }
  return text;
}

/** Returns a number in digits and letters, which sort bytewise as the numbers do. */
export function encodeBase62(value: number, length: number): string {
  let text = '';
  let rest = value;
  for (let i = 0; i < length; i++) {
    text = ALPHABET[rest % BASE] + text;
    rest = Math.floor(rest / BASE);
  }
  return text;
}

export function decodeBase62(text: string): number {
  let value = 0;
  for (const letter of text) value = value * BASE + ALPHABET.indexOf(letter);
  return value;
}

function nextByte(): number {
  if (poolOffset === pool.length) {
    pool = randomBytes(4096);
    poolOffset = 0;
  }
  return pool[poolOffset++] as number;
}

/** Returns what the database stores of a secret: its SHA-256. Secrets are random, so a fast hash is safe. */
export function secretHash(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}
