import { en } from './en.ts';

/** The texts of the dashboard. A file per language; all have the shape of the English one. */
export type Texts = typeof en;

const LANGUAGES: Readonly<Record<string, Texts>> = { en };

/** The texts in the first language of the browser that the dashboard has, otherwise in English. */
export const t: Texts = navigator.languages.map((tag) => LANGUAGES[tag.slice(0, 2)]).find((texts) => texts !== undefined) ?? en;
