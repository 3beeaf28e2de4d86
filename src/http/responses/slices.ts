import { createTurnQueue } from '../../core/kernel/turn-queue.ts';

/**
 * Rows that are rendered or serialized without a pause. A slice of rows of 10 kB takes about 3 ms; a page of 500 such rows would block the
 * event loop for 100 ms.
 */
export const SLICE_ROWS = 16;

/** Waits for a turn to produce the next slice. Shared by all large responses, so other requests wait for at most one slice. */
export const nextTurn = createTurnQueue();

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
