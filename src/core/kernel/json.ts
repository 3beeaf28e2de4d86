/** Returns whether a JSON value is an object, not an array. Its fields may have any value. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
