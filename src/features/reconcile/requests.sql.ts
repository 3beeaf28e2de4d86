import { listStatements } from '../../core/db/list.ts';
import { statement } from '../../core/db/statement.ts';

/** `periodic` limits the calls to the node; `full` compares the whole window; `new_baseline` also accepts the node's present balance. */
export type ReconciliationScope = 'periodic' | 'full' | 'new_baseline';

export type RequestRow = {
  id: string;
  state: 'requested' | 'running' | 'done' | 'failed';
  scope: ReconciliationScope;
  requested_at: number;
  requested_by: string;
  reason: string;
  progress: string;
  report: string | null;
};

const COLUMNS = 'id, state, scope, requested_at, requested_by, reason, progress, report';

export const insertRequest = statement(
  'reconcile_insert_request',
  `INSERT INTO reconciliation (id, state, scope, requested_at, progress, requested_by, reason)
   VALUES ($1, 'requested', $2, $3, '', $4, $5)`,
);

export const findRequest = statement<RequestRow>('reconcile_request', `SELECT ${COLUMNS} FROM reconciliation WHERE id = $1`);

export const listRequests = listStatements<RequestRow>('reconcile_list_requests', {
  select: `SELECT ${COLUMNS} FROM reconciliation`,
  table: 'reconciliation',
});

/** A request that this instance runs. */
export type RunningRequest = Pick<RequestRow, 'id' | 'scope' | 'requested_by' | 'reason'>;

export const nextRequest = statement<RunningRequest>(
  'reconcile_next_request',
  `SELECT id, scope, requested_by, reason FROM reconciliation WHERE state = 'requested' ORDER BY id LIMIT 1`,
);

export const start = statement('reconcile_take', `UPDATE reconciliation SET state = 'running' WHERE id = $1 AND state = 'requested'`);

export const updateProgress = statement(
  'reconcile_progress',
  `UPDATE reconciliation SET progress = $2 WHERE id = $1 AND state = 'running'`,
);

export const finish = statement('reconcile_finish', `UPDATE reconciliation SET state = 'done', report = $2 WHERE id = $1`);

export const fail = statement('reconcile_give_up', `UPDATE reconciliation SET state = 'failed', progress = $2 WHERE id = $1`);

/** Opens unfinished requests again, because an operator may wait for them; periodic ones fail. */
export const requeue = statement(
  'reconcile_requeue',
  `UPDATE reconciliation SET state = CASE WHEN scope = 'periodic' THEN 'failed' ELSE 'requested' END WHERE state = 'running'`,
);

export const lastReport = statement<{ report: string }>(
  'reconcile_last_report',
  `SELECT report FROM reconciliation WHERE state = 'done' ORDER BY id DESC LIMIT 1`,
);

/** Deletes all but the newest periodic ones ($1), and the newest of those that operators requested ($2). */
export const deleteOld = statement(
  'reconcile_delete_old',
  `DELETE FROM reconciliation WHERE state IN ('done', 'failed')
     AND id NOT IN (SELECT id FROM reconciliation WHERE scope = 'periodic' ORDER BY id DESC LIMIT $1)
     AND id NOT IN (SELECT id FROM reconciliation WHERE scope <> 'periodic' ORDER BY id DESC LIMIT $2)`,
);
