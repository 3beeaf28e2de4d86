import type { FastifyReply } from 'fastify';

/** Texts in a language with this code, such as `de`. */
interface Language {
  readonly code: string;
}

/** Returns the language that a value of `Accept-Language` prefers, as RFC 9110 weighs it; without a known one `others`. */
export function preferredLanguage<T extends Language>(accepted: string, languages: readonly T[], others: T): T {
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
    const texts = languages.find((one) => one.code === code);
    return texts ? [{ texts, weight }] : [];
  });
  return known.sort((a, b) => b.weight - a.weight)[0]?.texts ?? others;
}

/** Says in which language a page is, and that it depends on the request. */
export function setLanguage(reply: FastifyReply, { code }: Language): void {
  reply.header('content-language', code);
  reply.header('vary', [reply.getHeader('vary'), 'Accept-Language'].filter(Boolean).join(', '));
}
