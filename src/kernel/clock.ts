import { setTimeout as delay } from 'node:timers/promises';

/** Where the time comes from, so that tests can choose it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  nowMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now() };

/** Whole Unix seconds, the API's unit of time. */
export function unixSeconds(clock: Clock): number {
  return Math.floor(clock.nowMs() / 1000);
}

/** Waits, until the signal aborts at the latest. @returns whether it was the signal that ended the pause. */
export async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
  return signal.aborted;
}

/** What `task` comes to. @throws what `late` makes when that takes longer than `ms`; the task goes on, unheard. */
export async function withTimeout<T>(ms: number, task: Promise<T>, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([task, limit]);
  } finally {
    clearTimeout(timer);
  }
}
