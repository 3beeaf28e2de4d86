/** Between groups of three digits, in every language: a point or a comma could be read as the decimal mark of another one. */
export const NARROW_SPACE = '\u202f';

/** Returns digits in groups of three from their end. */
export function group(digits: string): string {
  return digits.replaceAll(/\B(?=(\d{3})+$)/g, NARROW_SPACE);
}

/** Returns a whole number of 0 or more as people read it: `1 234`. */
export function formatCount(count: number): string {
  return group(String(count));
}
