import type { Position } from '../src/core/lightning/node.ts';

/**
 * The position of an adapter that numbers its events 1, 2, 3 … itself. The proof is different for every event that was ever written, so a
 * node that was restored from an older backup writes other positions under the same numbers.
 */
export function eventPosition(number: number, proof: string | undefined): Position {
  return proof === undefined ? String(number) : `${number}-${proof}`;
}

/** Returns the number of the event at a position: 0 at the beginning, NaN for text that is no position. */
export function eventNumber(position: Position | undefined): number {
  return position === undefined ? 0 : Number(position.split('-', 1)[0] || Number.NaN);
}
