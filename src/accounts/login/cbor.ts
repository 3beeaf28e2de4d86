/** A value in CBOR (RFC 8949), as far as authenticators use it: no fractions, tags or values of indefinite length. */
export type CborValue = number | string | boolean | null | Uint8Array | readonly CborValue[] | ReadonlyMap<number | string, CborValue>;

const MAX_DEPTH = 6;

/** Reads one value. @returns the value, and the index of the byte after it. @throws Error for anything else */
export function readCbor(bytes: Uint8Array, at = 0, depth = 0): { value: CborValue; end: number } {
  if (depth > MAX_DEPTH) throw new Error('the CBOR is nested too deeply');
  const major = byteAt(bytes, at) >> 5;
  const { argument, end: start } = readArgument(bytes, at);
  switch (major) {
    case 0:
      return { value: argument, end: start };
    case 1:
      return { value: -1 - argument, end: start };
    case 2:
      return { value: slice(bytes, start, argument), end: start + argument };
    case 3:
      return { value: new TextDecoder('utf-8', { fatal: true }).decode(slice(bytes, start, argument)), end: start + argument };
    case 4:
      return readArray(bytes, start, { count: argument, depth });
    case 5:
      return readMap(bytes, start, { count: argument, depth });
    case 7:
      return { value: simpleValue(argument, start - at), end: start };
    default:
      throw new Error('the CBOR has a tag');
  }
}

interface Items {
  readonly count: number;
  readonly depth: number;
}

function readArray(bytes: Uint8Array, start: number, { count, depth }: Items): { value: CborValue[]; end: number } {
  const value: CborValue[] = [];
  let at = start;
  while (value.length < count) {
    const item = readCbor(bytes, at, depth + 1);
    value.push(item.value);
    at = item.end;
  }
  return { value, end: at };
}

function readMap(bytes: Uint8Array, start: number, { count, depth }: Items): { value: Map<number | string, CborValue>; end: number } {
  const value = new Map<number | string, CborValue>();
  let at = start;
  while (value.size < count) {
    const key = readCbor(bytes, at, depth + 1);
    if (typeof key.value !== 'number' && typeof key.value !== 'string') throw new Error('a key in the CBOR is neither a number nor a text');
    if (value.has(key.value)) throw new Error('a key in the CBOR occurs twice');
    const item = readCbor(bytes, key.end, depth + 1);
    value.set(key.value, item.value);
    at = item.end;
  }
  return { value, end: at };
}

/** Reads the number in the head of a value: its value, its length, or the number of its items. */
function readArgument(bytes: Uint8Array, at: number): { argument: number; end: number } {
  const info = byteAt(bytes, at) & 0x1f;
  if (info < 24) return { argument: info, end: at + 1 };
  if (info > 27) throw new Error('the CBOR has an indefinite length');
  const size = 2 ** (info - 24);
  let argument = 0;
  for (const byte of slice(bytes, at + 1, size)) argument = argument * 256 + byte;
  if (!Number.isSafeInteger(argument)) throw new Error('a number in the CBOR is too large');
  return { argument, end: at + 1 + size };
}

function simpleValue(argument: number, headLength: number): boolean | null {
  if (headLength === 1 && argument === 20) return false;
  if (headLength === 1 && argument === 21) return true;
  if (headLength === 1 && argument === 22) return null;
  throw new Error('the CBOR has a fraction or an unknown simple value');
}

function slice(bytes: Uint8Array, start: number, length: number): Uint8Array {
  if (start + length > bytes.length) throw new Error('the CBOR ends too early');
  return bytes.subarray(start, start + length);
}

function byteAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw new Error('the CBOR ends too early');
  return byte;
}
