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

/** Reads of objects with a word, among those that a condition selects. The parameters of the condition come first; `first` is the next one. */
const objectsWith = (name: string, condition: string, first: number) => ({
  /** The newest objects with exactly this word. */
  exact: statement<{ id: string }>(
    `search_word_find${name}`,
    `SELECT id FROM search_word WHERE ${condition} AND type = $${first} AND word = $${first + 1} ORDER BY id DESC LIMIT $${first + 2}`,
  ),
  /** Objects with a longer word, between two texts. */
  longer: statement<{ id: string }>(
    `search_word_find_longer${name}`,
    `SELECT id FROM search_word WHERE ${condition} AND type = $${first} AND word > $${first + 1} AND word < $${first + 2}
     ORDER BY word, id LIMIT $${first + 3}`,
  ),
});

export const ofAccount = objectsWith('', 'account_id = $1', 2);

/** Of all accounts, by the index `search_word_service`. */
export const ofService = objectsWith('_service', 'TRUE', 1);
