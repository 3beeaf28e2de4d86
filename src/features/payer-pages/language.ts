import type { FastifyRequest } from 'fastify';
import { preferredLanguage } from '../../http/pages/language.ts';
import { de } from './texts/de.ts';
import { en } from './texts/en.ts';
import { es } from './texts/es.ts';

/** The same names and functions of the same values, with any text. */
type Shape<English> = English extends string
  ? string
  : English extends (...values: infer Values) => string
    ? (...values: Values) => string
    : { readonly [Name in keyof English]: Shape<English[Name]> };

/** The texts of the pages for payers in a language. A missing text, or one that English does not have, is an error of the compiler. */
export type PayerTexts = Shape<typeof en>;

/** A language is a file of texts and an entry here. The first one is for all other languages. */
export const PAYER_LANGUAGES: readonly PayerTexts[] = [en, de, es];

/** Returns the texts in the language of a request. */
export function languageOf({ headers }: FastifyRequest): PayerTexts {
  return chooseLanguage(headers['accept-language'] ?? '');
}

export function chooseLanguage(accepted: string): PayerTexts {
  return preferredLanguage(accepted, PAYER_LANGUAGES, en);
}
