/** Returns a whole number as `../count.ts` does. A language imports no code of other files, because these wait until it is loaded. */
export function formatCount(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, '\u202f');
}
