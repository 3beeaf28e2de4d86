/**
 * Returns a function that runs a task at most once at a time. A call during a run waits for the next run, which it shares with the other
 * calls: each call gets the result of a run that began after it.
 */
export function nextCall<T>(task: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return () => {
    next ??= running.then(() => {
      const run = task();
      running = run.catch(() => undefined);
      next = undefined;
      return run;
    });
    return next;
  };
}
