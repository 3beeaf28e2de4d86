import { statement } from './statement.ts';

export const newestRound = statement<{ round: number | null }>(
  'retention_newest_round',
  'SELECT max(round) AS round FROM retention_round WHERE name = $1',
);

export const insertRound = statement('retention_insert_round', 'INSERT INTO retention_round (name, round, position) VALUES ($1, $2, $3)');

export const readRound = statement<{ position: number }>(
  'retention_read_round',
  'SELECT position FROM retention_round WHERE name = $1 AND round = $2',
);

export const deleteRounds = statement('retention_delete_rounds', 'DELETE FROM retention_round WHERE name = $1 AND round <= $2');
