/**
 * Rows that are rendered or serialized without a pause. A slice of rows of 10 kB takes about 3 ms; a page of 500 such rows would block the
 * event loop for 100 ms.
 */
export const SLICE_ROWS = 16;

const waiting: (() => void)[] = [];

/**
 * Waits for a turn of the event loop without another slice. However many large responses are produced at a time, other requests wait for
 * at most one slice. The queue is shared because the process has one event loop.
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

/** Converts a list, one slice per turn of the event loop. */
export async function mapInSlices<T, U>(items: readonly T[], convert: (item: T) => U): Promise<U[]> {
  const converted: U[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % SLICE_ROWS === 0) await nextTurn();
    converted.push(convert(item));
  }
  return converted;
}

/** Serializes a list, one slice per turn of the event loop. `serialize` returns the JSON array of a slice. */
export async function serializeInSlices<T>(items: readonly T[], serialize: (slice: readonly T[]) => string): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let start = 0; start < items.length; start += SLICE_ROWS) {
    await nextTurn();
    const text = serialize(items.slice(start, start + SLICE_ROWS));
    parts.push(Buffer.from(`${start === 0 ? '[' : ','}${text.slice(1, -1)}`));
  }
  return Buffer.concat([...parts, Buffer.from(items.length === 0 ? '[]' : ']')]);
}
