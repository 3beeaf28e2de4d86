import { statement } from '../db/statement.ts';

export type TaskRow = {
  position: number;
  ordering_key: string | null;
  account_id: string;
  payload: string;
  created_at_ms: number;
  attempts: number;
};

const NEW = 'queue, ordering_key, account_id, payload, created_at_ms, due_at_ms';

export const insertTask = statement(
  'task_insert',
  `INSERT INTO task (${NEW}) VALUES ($1, $2, $3, $4, $5, $5)`,
  `INSERT INTO task (${NEW}) SELECT queue, ordering_key, account_id, payload, now_ms, now_ms
   FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[]) AS n (queue, ordering_key, account_id, payload, now_ms)
   RETURNING 1`,
);

/** A condition of the index of tasks that wait, without those that wait for an earlier one of their key. */
const WAITING = 'claimed_by IS NULL AND due_at_ms IS NOT NULL';

/** How many accounts one statement visits. */
export const ACCOUNTS_AT_ONCE = 200;

const NEXT_ACCOUNT = (after: string) => `(SELECT min(t.account_id) FROM task t
  WHERE t.queue = $1 AND t.account_id > ${after} AND t.${WAITING.replace(' AND ', ' AND t.')})`;

const DUE = (comparison: string) => `EXISTS (SELECT 1 FROM task t
  WHERE t.queue = $1 AND t.account_id = v.account_id AND t.${WAITING.replace(' AND ', ' AND t.')} AND t.due_at_ms ${comparison})`;

/**
 * The next accounts after an account, in their order, that have tasks which wait, and whether one of them is due. Each is found with one search of
 * the index, however many tasks it has. A task that is planned later than `$4` was planned before the clock was set back.
 */
export const visitAccounts = statement<{ account_id: string; is_due: number }>(
  'task_visit_accounts',
  `WITH RECURSIVE visited (account_id, n) AS (
     SELECT ${NEXT_ACCOUNT('$2')}, 1
     UNION ALL
     SELECT ${NEXT_ACCOUNT('v.account_id')}, v.n + 1 FROM visited v WHERE v.account_id IS NOT NULL AND v.n < ${ACCOUNTS_AT_ONCE})
   SELECT v.account_id, CASE WHEN ${DUE('<= $3')} OR ${DUE('> $4')} THEN 1 ELSE 0 END AS is_due
   FROM visited v WHERE v.account_id IS NOT NULL ORDER BY v.n`,
);

const COLUMNS = 'position, ordering_key, account_id, payload, created_at_ms, attempts';

const DUE_OF_ACCOUNT = (comparison: string) => `SELECT * FROM (SELECT ${COLUMNS}, due_at_ms FROM task
  WHERE queue = $1 AND account_id = $2 AND ${WAITING} AND due_at_ms ${comparison} ORDER BY due_at_ms, position LIMIT $5)`;

/** Tasks of an account that are due, as in {@link visitAccounts}, and whether an earlier one of the key has not ended. */
export const listDue = statement<TaskRow & { is_blocked: number }>(
  'task_list_due',
  `SELECT ${COLUMNS}, CASE WHEN ordering_key IS NOT NULL AND EXISTS (SELECT 1 FROM task e
     WHERE e.queue = $1 AND e.ordering_key = d.ordering_key AND e.position < d.position) THEN 1 ELSE 0 END AS is_blocked
   FROM (${DUE_OF_ACCOUNT('<= $3')} AS a UNION ALL ${DUE_OF_ACCOUNT('> $4')} AS b) AS d ORDER BY due_at_ms, position LIMIT $5`,
);

export const insertQueue = statement('task_queue_insert', 'INSERT INTO task_queue (name) VALUES ($1) ON CONFLICT DO NOTHING');

export const lockQueue = statement('task_queue_lock', 'SELECT 1 AS locked FROM task_queue WHERE name = $1 FOR UPDATE');

export const claim = statement('task_claim', 'UPDATE task SET claimed_by = $2 WHERE position = ANY($1::bigint[])');

/** Lets tasks wait for an earlier one of their key. */
export const hold = statement('task_hold', 'UPDATE task SET due_at_ms = NULL WHERE position = ANY($1::bigint[])');

/** Makes the first task of a key due that waits for an earlier one, which has ended. */
export const unhold = statement(
  'task_unhold',
  `UPDATE task SET due_at_ms = $3 WHERE due_at_ms IS NULL
     AND position = (SELECT min(position) FROM task WHERE queue = $1 AND ordering_key = $2)`,
);

/** Ends tasks that an instance ($2) has claimed. */
export const deleteTasks = statement('task_delete', 'DELETE FROM task WHERE position = ANY($1::bigint[]) AND claimed_by = $2');

export const postpone = statement(
  'task_postpone',
  'UPDATE task SET claimed_by = NULL, due_at_ms = $3, attempts = $4 WHERE position = $1 AND claimed_by = $2',
);

/** Gives up the claims of instances that have ended, and those of this one ($2) except `$3`, which it may have lost with a commit. */
export const releaseClaims = statement(
  'task_release',
  `UPDATE task SET claimed_by = NULL, attempts = attempts + 1 WHERE queue = $1 AND claimed_by IS NOT NULL
     AND CASE claimed_by WHEN $2 THEN position <> ALL($3::bigint[]) ELSE claimed_by NOT IN (SELECT id FROM instance WHERE ended_at IS NULL) END`,
);

/** The instances that run tasks of a queue, and how many. */
export const countClaims = statement<{ claimed_by: string; n: number }>(
  'task_count_claims',
  'SELECT claimed_by, count(*) AS n FROM task WHERE queue = $1 AND claimed_by IS NOT NULL GROUP BY claimed_by',
);

export const makeDue = statement('task_make_due', `UPDATE task SET due_at_ms = $2 WHERE queue = $1 AND ${WAITING} AND due_at_ms > $2`);

/** How many tasks a count counts at most. */
export const MAX_COUNTED = 10_000;

export const countTasks = statement<{ n: number }>(
  'task_count',
  `SELECT count(*) AS n FROM (SELECT 1 FROM task WHERE queue = $1 LIMIT ${MAX_COUNTED}) AS waiting`,
);

export const countOfKey = statement<{ n: number }>(
  'task_count_of_key',
  'SELECT count(*) AS n FROM (SELECT 1 FROM task WHERE queue = $1 AND ordering_key = $2 LIMIT $3) AS waiting',
);
