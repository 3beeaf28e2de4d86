import { statement } from '../db/statement.ts';

const STORE = (rows: string) =>
  `INSERT INTO key_use (key_id, last_used_at) ${rows}
   ON CONFLICT (key_id) DO UPDATE SET last_used_at = excluded.last_used_at WHERE key_use.last_used_at < excluded.last_used_at`;

/** Stores the times of a JSON array, `$1`. Another instance may have stored a later one, which stays. */
export const storeKeyUses = statement('key_use_store', {
  sqlite: STORE(`SELECT json_extract(value, '$.key_id'), json_extract(value, '$.last_used_at') FROM json_each($1) WHERE true`),
  postgres: STORE(`SELECT key_id, last_used_at FROM json_to_recordset($1::json) AS given(key_id text, last_used_at bigint)`),
});
