const AT_ONCE = 8;

/** Does the work for every item, some at once, and answers in their order. */
export async function sideBySide<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = [...items.entries()].reverse();
  async function worker(): Promise<void> {
    for (let next = left.pop(); next; next = left.pop()) results[next[0]] = await work(next[1]);
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}
