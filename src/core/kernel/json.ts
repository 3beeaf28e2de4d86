/** Returns whether a JSON value is an object, not an array. Its fields may have any value. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the value of a JSON text; undefined for a text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns whether objects and arrays nest deeper than a number of levels. Does not recurse, which would overflow the stack. */
export function isDeeperThan(maxDepth: number, value: unknown): boolean {
  let level = containersIn([value]);
  for (let depth = 0; depth < maxDepth; depth += 1) level = containersIn(level.flatMap((one) => Object.values(one)));
  return level.length > 0;
}

function containersIn(values: readonly unknown[]): object[] {
  return values.filter((one): one is object => typeof one === 'object' && one !== null);
}
