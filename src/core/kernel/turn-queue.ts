/**
 * Returns a function that waits for a turn. Its callers share the turns: one of them continues per cycle of the event loop, in the order of their
 * calls. Long work that waits for a turn between its parts delays other work by one part, however many callers there are.
 */
export function createTurnQueue(): () => Promise<void> {
  const waiting: (() => void)[] = [];

  function grantTurn(): void {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(grantTurn);
  }

  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(grantTurn);
    });
}
