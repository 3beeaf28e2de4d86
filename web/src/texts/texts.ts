/// <reference types="vite/types/importMeta.d.ts" />
import { en } from './en.ts';
import type { Translation } from './translation.ts';

/** The texts of the first page. Screens load those of their own. */
export type Texts = typeof en;

/** The languages beside English: a folder each, loaded only for those who read it. */
const FILES = import.meta.glob<Translation>('./??/??.ts', { import: 'language' });
const fileOf = (language: string) => FILES[`./${language}/${language}.ts`];

/** The codes of all languages. */
export const LANGUAGES = ['en', ...Object.keys(FILES).map((path) => path.slice(2, 4))];

/** The language that was chosen in this browser. Without one, it is the first of the browser's that the dashboard has. */
export const chosenLanguage = globalThis.localStorage?.getItem('language') ?? '';

const tag = [chosenLanguage, ...navigator.languages].find((one) => LANGUAGES.includes(one.slice(0, 2))) ?? 'en';

/** The code of the language. */
export const code = tag.slice(0, 2);

const language = await fileOf(code)?.();

/** For formats: the variant that the browser has of the language, such as `de-AT`. Dates in English are those of Europe. */
export const locale = language ? (navigator.languages.find((one) => one.startsWith(tag)) ?? tag) : 'en-GB';

export const direction = language?.direction ?? 'ltr';

/** The texts of the first page in the language of this browser. */
export const t = (language?.start as Texts | undefined) ?? en;

/** Returns what people read about an error of the API: in the language, or else the sentence of the API, which is English. */
export function textOfError({ type, message }: { readonly type: string; readonly message: string }): string {
  const errors: Readonly<Record<string, string>> | undefined = language?.errors;
  return errors?.[type] ?? message;
}

/** Returns the texts of a screen in the language of this browser. */
export function inLanguage<English>(name: keyof Translation, english: English): English {
  return (language?.[name] as English | undefined) ?? english;
}
