import { expect, it } from 'vitest';
import { asFields, withoutNulls } from '../../src/core/db/fields.ts';
import { statement } from '../../src/core/db/statement.ts';

it('selects columns under the names of fields', () => {
  expect(asFields('id, wallet_id, sending_since_ms')).toBe('id, wallet_id AS "walletId", sending_since_ms AS "sendingSinceMs"');
});

it('replaces NULL by undefined, and keeps every other value', () => {
  expect(withoutNulls({ id: 'x', count: 0, text: '', memo: null })).toStrictEqual({ id: 'x', count: 0, text: '', memo: undefined });
});

it('derives the text for SQLite from lists, the time and locks of PostgreSQL', () => {
  const { sqlite, postgres } = statement(
    'test_words',
    'SELECT a.id FROM a JOIN b ON b.id = a.b WHERE a.id = ANY($1::text[]) AND a.n <> ALL($2::bigint[]) AND a.at > extract(epoch FROM now()) ' +
      'FOR SHARE OF a FOR KEY SHARE OF b',
  );
  expect(sqlite).toBe(
    'SELECT a.id FROM a JOIN b ON b.id = a.b WHERE a.id IN (SELECT value FROM json_each($1)) ' +
      'AND a.n NOT IN (SELECT value FROM json_each($2)) AND a.at > unixepoch()',
  );
  expect(postgres).toContain('= ANY($1::text[])');
});
