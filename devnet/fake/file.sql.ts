/** The schema of `fake.db`: rows as JSON, in the order of their first insertion. */
export const SCHEMA = `
CREATE TABLE IF NOT EXISTS owner (one INTEGER PRIMARY KEY CHECK (one = 1), seed TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS rows (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, key TEXT NOT NULL, row TEXT NOT NULL, UNIQUE (name, key)
);
`;

/** Stores the seed in a new file. Returns the seed that the file was created with. */
export const OWN = 'INSERT INTO owner (one, seed) VALUES (1, ?) ON CONFLICT DO UPDATE SET seed = owner.seed RETURNING seed';

export const READ = 'SELECT name, key, row FROM rows ORDER BY id';
export const PUT = 'INSERT INTO rows (name, key, row) VALUES (?, ?, ?) ON CONFLICT (name, key) DO UPDATE SET row = excluded.row';
export const REMOVE = 'DELETE FROM rows WHERE name = ? AND key = ?';
