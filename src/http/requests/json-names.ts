/** The names in one JSON text, at all depths. Reading and checking an object with 6,000 names takes 15 ms of the only thread. */
export const MAX_NAMES = 200;
/** The same for a list of 1,000 lines. */
export const MAX_BULK_NAMES = 10_000;

const [QUOTE, BACKSLASH, COLON] = ['"', '\\', ':'].map((text) => text.charCodeAt(0));

/** Returns whether a JSON text has more than `maxNames` names: a colon outside of strings follows each. Stops at the first that is too many. */
export function hasTooManyNames(json: string, maxNames = MAX_NAMES): boolean {
  let names = 0;
  for (let at = 0; at < json.length; at++) {
    const character = json.charCodeAt(at);
    if (character === QUOTE) at = endOfString(json, at);
    else if (character === COLON) names += 1;
    if (names > maxNames) return true;
  }
  return false;
}

/** Returns the position of the quote that ends the string which begins at `start`. */
function endOfString(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); quote >= 0; quote = json.indexOf('"', quote + 1)) {
    let before = quote;
    while (json.charCodeAt(before - 1) === BACKSLASH) before -= 1;
    if ((quote - before) % 2 === 0) return quote;
  }
  return json.length;
}
