/** A text, or texts under their names. Texts with values are functions. */
type Text = string | ((...values: never[]) => string) | readonly Text[] | { readonly [name: string]: Text };

declare const KNOWN: unique symbol;

/** Texts that are read by a value of the API, which may be one that this version does not know. */
export type Lookup<Known> = Readonly<Record<string, Shape<Known[keyof Known]>>> & { readonly [KNOWN]?: Known };

/** Marks texts that are read by a value of the API. Languages must have the same ones. */
export function lookup<const Known extends Readonly<Record<string, Text>>>(texts: Known): Lookup<Known> {
  return texts as unknown as Lookup<Known>;
}

/** What a language must have for English texts: the same names and functions of the same values, with any text. */
export type Shape<English> = English extends string
  ? string
  : English extends (...values: infer Values) => infer Result
    ? (...values: Values) => Shape<Result>
    : typeof KNOWN extends keyof English
      ? Shape<NonNullable<English[typeof KNOWN]>>
      : { readonly [Name in keyof English]: Shape<English[Name]> };
