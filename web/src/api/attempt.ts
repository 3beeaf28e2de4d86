import { useState } from 'preact/hooks';
import { type Attempt, type AttemptOptions, createAttempt } from './attempt-id.ts';

/** Returns a function that sends the request of a sheet or a button, so that a click after a lost response has no second effect. */
export function useAttempt(options?: AttemptOptions): Attempt {
  return useState(() => createAttempt(options))[0];
}
