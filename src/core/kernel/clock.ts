import { setTimeout as delay } from 'node:timers/promises';

/** The source of the time; tests replace it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  nowMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now() };

/** Whole Unix seconds, the API's unit of time. */
export function unixSeconds(clock: Clock): number {
  return Math.floor(clock.nowMs() / 1000);
}

/** Formats a time for people, to the second, so that two times of one sentence differ: `2026-01-31 14:05:09 UTC`. */
export function timeText(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** Waits until the time has passed or the signal aborts. @returns whether the signal has aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
  return signal.aborted;
}

/** Returns the result of a task. @throws the error of `onTimeout` after `ms`; the task keeps running, and its result is ignored. */
export async function withTimeout<T>(
  ms: number,
  task: Promise<T>,
  onTimeout: () => Error = () => new Error(`no response within ${ms / 1000} seconds`),
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(onTimeout()), ms);
  });
  try {
    return await Promise.race([task, limit]);
  } finally {
    clearTimeout(timer);
  }
}
