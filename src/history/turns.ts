import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Waits until another piece of a long look may be read: one a turn of the event loop, whoever looks, in the order in which they asked.
 * SQLite answers at once, so without it a long look, or many together, would let nobody else be answered until they are through.
 */
export function pieceTurn(): Promise<void> {
  const mine = last.then(() => nextTurn());
  last = mine;
  return mine;
}

let last: Promise<void> = Promise.resolve();
