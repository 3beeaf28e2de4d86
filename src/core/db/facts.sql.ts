import { statement } from './statement.ts';

export const readFact = statement<{ value: string }>('fact_read', 'SELECT value FROM service_fact WHERE name = $1');

export const writeFact = statement(
  'fact_write',
  `INSERT INTO service_fact (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
);

export const deleteFactIf = statement('fact_delete_if', 'DELETE FROM service_fact WHERE name = $1 AND value = $2');

export const writeOnce = statement('fact_write_once', 'INSERT INTO service_fact (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING');
