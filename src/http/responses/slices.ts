/**
 * Rows that are rendered or serialized at once. A page has up to 500 rows of 10 kB, of which a slice takes about 3 ms; in one go the page
 * would keep the event loop busy for 100 ms.
 */
export const SLICE_ROWS = 16;

const waiting: (() => void)[] = [];

/**
 * Returns in a later turn of the event loop, in which no other slice is worked on: however many large responses are under way, other
 * requests wait for one slice at most. The queue is shared because the process has one event loop.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(grantTurn);
  });
}

function grantTurn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(grantTurn);
}

/** Converts the items of a list, a slice in each turn of the event loop. */
export async function mapInSlices<T, U>(items: readonly T[], convert: (item: T) => U): Promise<U[]> {
  const converted: U[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % SLICE_ROWS === 0) await nextTurn();
    converted.push(convert(item));
  }
  return converted;
}

/** Serializes a list, a slice in each turn of the event loop; `serialize` returns the JSON text of some items as a list. */
export async function serializeInSlices<T>(items: readonly T[], serialize: (slice: readonly T[]) => string): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let start = 0; start < items.length; start += SLICE_ROWS) {
    await nextTurn();
    const text = serialize(items.slice(start, start + SLICE_ROWS));
    parts.push(Buffer.from(`${start === 0 ? '[' : ','}${text.slice(1, -1)}`));
  }
  return Buffer.concat([...parts, Buffer.from(items.length === 0 ? '[]' : ']')]);
}
