import { statement } from './statement.ts';

export const newestPeriod = statement<{ period: number | null }>(
  'retention_newest_period',
  'SELECT max(period) AS period FROM retention_period WHERE name = $1',
);

export const insertPeriod = statement(
  'retention_insert_period',
  'INSERT INTO retention_period (name, period, position) VALUES ($1, $2, $3)',
);

export const readPeriod = statement<{ position: number }>(
  'retention_read_period',
  'SELECT position FROM retention_period WHERE name = $1 AND period = $2',
);

export const deletePeriods = statement('retention_delete_periods', 'DELETE FROM retention_period WHERE name = $1 AND period <= $2');

/* Statements for the rows of a table with positions. */

export const newestPosition = (table: string) =>
  statement<{ position: number | null }>(`retention_newest_${table}`, `SELECT max(position) AS position FROM ${table}`);

export const oldestPosition = (table: string, condition: string) =>
  statement<{ position: number }>(
    `retention_oldest_${table}`,
    `SELECT position FROM ${table} WHERE ${condition} ORDER BY position LIMIT 1`,
  );

export const deleteBelow = (table: string, condition: string) =>
  statement(`retention_delete_${table}`, `DELETE FROM ${table} WHERE position < $1 AND ${condition}`);
