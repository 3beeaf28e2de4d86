import type { SqlReader } from '../db/database.ts';
import type { RowWrite } from '../db/row-write.ts';
import * as sql from './search-words.sql.ts';

/** The kinds of objects that a search finds by words: the prefixes of their ids. */
export type SearchedType = 'wal' | 'lnurlp' | 'lnurlw' | 'key' | 'lntx' | 'wtx';

/** An object with a text that a search finds. */
export interface SearchedObject {
  readonly id: string;
  /** The account, or one of its wallets. */
  readonly owner: string;
  readonly text: string;
}

const MAX_WORDS = 8;
const MAX_LETTERS = 32;
/** Sorts after every other character: the end of the texts that begin with a prefix. */
export const AFTER_TEXT = '\u{10FFFF}';

/** Returns the first words of a text as the index has them: different runs of letters and digits, in lower case. */
export function wordsOf(text: string): string[] {
  const runs =
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return [...new Set(runs.map((run) => Array.from(run).slice(0, MAX_LETTERS).join('')))].slice(0, MAX_WORDS);
}

/** Returns the rows that make a new object searchable, for the transaction that creates it. */
export function searchRows({ id, owner, text }: SearchedObject): RowWrite[] {
  return wordsOf(text).map((word) => ({
    statement: sql.insertWord,
    parameters: [owner, typeOf(id), word, id],
    onMiss: () => new Error('a word was not stored'),
  }));
}

/** Returns the rows that follow a change of the text of an object that belongs to an account. */
export function changedSearchRows({ id, owner, text }: SearchedObject, earlierText: string): RowWrite[] {
  const words = new Set(wordsOf(text));
  const removed = wordsOf(earlierText).filter((word) => !words.has(word));
  return [
    ...removed.map((word): RowWrite => ({ statement: sql.deleteWord, parameters: [owner, typeOf(id), word, id], onMiss: 'ignore' })),
    ...searchRows({ id, owner, text }),
  ];
}

/**
 * Returns the ids of at most `limit` objects of an account, or without one of all accounts, with a word, the newest first, and then as many with a word
 * that begins with it.
 */
export async function findByWord(
  queries: SqlReader,
  accountId: string | undefined,
  type: SearchedType,
  word: string,
  limit: number,
): Promise<{ id: string }[]> {
  const [statements, owner] = accountId === undefined ? [sql.ofService, []] : [sql.ofAccount, [accountId]];
  const exact = await queries.all(statements.exact, ...owner, type, word, limit);
  const longer = await queries.all(statements.longer, ...owner, type, word, word + AFTER_TEXT, limit);
  return [...exact, ...longer];
}

function typeOf(id: string): string {
  return id.slice(0, id.indexOf('_'));
}
