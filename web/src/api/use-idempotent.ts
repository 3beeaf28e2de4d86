import { useState } from 'preact/hooks';
import { createIdempotent, type Idempotent, type IdempotentOptions } from './idempotent.ts';

/** Returns a function that sends the request of a sheet or a button, so that a click after a lost response has no second effect. */
export function useIdempotent(options?: IdempotentOptions): Idempotent {
  return useState(() => createIdempotent(options))[0];
}
