const AT_ONCE = 8;

/** Runs a task for every item, a few at a time, and returns the results in their order. */
export async function sideBySide<T, R>(items: readonly T[], work: (item: T) => Promise<R>, atOnce = AT_ONCE): Promise<R[]> {
  const results: R[] = [];
  const left = [...items.entries()].reverse();
  async function worker(): Promise<void> {
    for (let next = left.pop(); next; next = left.pop()) results[next[0]] = await work(next[1]);
  }
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
