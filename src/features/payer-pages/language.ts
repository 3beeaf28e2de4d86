import type { FastifyReply, FastifyRequest } from 'fastify';
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

/** Returns the texts in the language of a request, as RFC 9110 weighs `Accept-Language`. */
export function languageOf({ headers }: FastifyRequest): PayerTexts {
  return chooseLanguage(headers['accept-language'] ?? '');
}

export function chooseLanguage(accepted: string): PayerTexts {
  const ranges = accepted
    .slice(0, 200)
    .split(',')
    .map((range) => {
      const [tag = '', ...parameters] = range
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/);
      const weight = parameters.find((one) => one.startsWith('q='))?.slice(2);
      return { code: tag.split('-', 1)[0], weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ weight }) => weight > 0);
  const known = ranges.flatMap(({ code, weight }) => {
    const texts = PAYER_LANGUAGES.find((one) => one.code === code);
    return texts ? [{ texts, weight }] : [];
  });
  return known.sort((a, b) => b.weight - a.weight)[0]?.texts ?? en;
}

/** Says in which language a page is, and that it depends on the request. */
export function setLanguage(reply: FastifyReply, { code }: PayerTexts): void {
  reply.header('content-language', code);
  reply.header('vary', [reply.getHeader('vary'), 'Accept-Language'].filter(Boolean).join(', '));
}
