/** TypeScript does not declare the third argument yet. Source: the JavaScript proposal "JSON.parse source text access". */
type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/**
 * Parses JSON. An integer that a number cannot represent exactly, such as `groupid`, becomes the text of its digits.
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  const reviver: Reviver = (_key, value, { source }) =>
    typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) ? source : value;
  return JSON.parse(text, reviver as (key: string, value: unknown) => unknown);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to replace
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/**
 * Returns the text without the characters that JSON writes as `\u…`, which lightningd rejects: control characters become spaces, halves of
 * surrogate pairs become U+FFFD. The text keeps its length in bytes.
 */
export function withoutEscapes(text: string): string {
  return text.toWellFormed().replace(CONTROL, ' ');
}
