import { statement } from '../db/statement.ts';

// An object that has the word already keeps it, so that each insert changes one row.
const KEPT = 'ON CONFLICT (account_id, type, word, id) DO UPDATE SET id = excluded.id';

/** A word of an object that belongs to an account or to one of its wallets ($1). */
export const insertWord = statement(
  'search_word_insert',
  `INSERT INTO search_word (account_id, type, word, id)
   SELECT coalesce((SELECT account_id FROM wallet WHERE id = $1), $1), $2, $3, $4 WHERE true ${KEPT}`,
  `INSERT INTO search_word (account_id, type, word, id)
    SELECT coalesce(w.account_id, n.owner), n.type, n.word, n.id
    FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS n (owner, type, word, id) LEFT JOIN wallet w ON w.id = n.owner
    ${KEPT} RETURNING 1`,
);

export const deleteWord = statement(
  'search_word_delete',
  'DELETE FROM search_word WHERE account_id = $1 AND type = $2 AND word = $3 AND id = $4',
);

/** The newest objects of an account with exactly this word. */
export const findWord = statement<{ id: string }>(
  'search_word_find',
  'SELECT id FROM search_word WHERE account_id = $1 AND type = $2 AND word = $3 ORDER BY id DESC LIMIT $4',
);

/** Objects of an account with a longer word, from $3 until before $4. */
export const findLongerWords = statement<{ id: string }>(
  'search_word_find_longer',
  'SELECT id FROM search_word WHERE account_id = $1 AND type = $2 AND word > $3 AND word < $4 ORDER BY word, id LIMIT $5',
);

// The condition of the index `search_word_service`, which has no words of payments and transfers.
const OF_SERVICE = `type IN ('wal', 'lnurlp', 'lnurlw', 'key')`;

/** The same of all accounts. */
export const findServiceWord = statement<{ id: string }>(
  'search_word_find_service',
  `SELECT id FROM search_word WHERE ${OF_SERVICE} AND type = $1 AND word = $2 ORDER BY id DESC LIMIT $3`,
);

export const findLongerServiceWords = statement<{ id: string }>(
  'search_word_find_longer_service',
  `SELECT id FROM search_word WHERE ${OF_SERVICE} AND type = $1 AND word > $2 AND word < $3 ORDER BY word, id LIMIT $4`,
);
