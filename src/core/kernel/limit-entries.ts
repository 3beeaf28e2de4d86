/** Deletes the oldest entries of a map beyond a number, and returns their values. A Map keeps the order of insertion. */
export function limitEntries<T>(map: Map<string, T>, size: number): T[] {
  const deleted: T[] = [];
  for (const [key, value] of map) {
    if (map.size <= size) break;
    map.delete(key);
    deleted.push(value);
  }
  return deleted;
}
