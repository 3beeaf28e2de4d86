import type { RecordKind } from '../../core/accounts/operator-records.ts';
import { type ListStatements, listStatements } from '../../core/db/list.ts';
import { statement } from '../../core/db/statement.ts';
import type { ActionRow } from './operator.sql.ts';

/** An entry of the audit log, with the state of its action if it is one. */
export type RecordRow = Pick<ActionRow, 'subject' | 'target' | 'requested_by' | 'reason' | 'evidence' | 'payment_id'> & {
  id: string;
  kind: RecordKind;
  account_id: string | null;
  actor: string | null;
  origin: string | null;
  /** JSON. */
  changes: string;
  requested_at: number;
  state: ActionRow['state'] | null;
  ended_at: number | null;
  answer: string | null;
};

const RECORD = `SELECT r.id, r.kind, r.subject, r.target, r.account_id, r.requested_by, r.actor, r.origin, r.changes, r.reason,
    r.created_at AS requested_at, a.state, CASE WHEN a.id IS NULL THEN r.created_at ELSE a.ended_at END AS ended_at, a.answer, a.evidence, a.payment_id
  FROM operator_record r LEFT JOIN operator_action a ON a.id = r.id`;

export const findRecord = statement<RecordRow>('operator_record_find', `${RECORD} WHERE r.id = $1`);

export const listOfSubject = statement<RecordRow>(
  'operator_record_list_of_subject',
  `${RECORD} WHERE a.subject = $1 ORDER BY r.id LIMIT 100`,
);

/** The columns by which the log can be filtered. */
export const FILTERS = ['account_id', 'actor', 'kind'] as const;

/**
 * Returns the statements of the list with these filters, in their order, and then the bounds of the ids. A statement for each combination, because a
 * condition that may be absent would use no index.
 */
function listOf(filters: readonly (typeof FILTERS)[number][]): ListStatements<RecordRow> {
  const bounds = [`r.id >= $${filters.length + 1}`, `r.id < $${filters.length + 2}`];
  return listStatements<RecordRow>(`operator_record_list_${filters.join('_') || 'all'}`, {
    select: RECORD,
    table: 'operator_record r',
    where: [...filters.map((column, index) => `r.${column} = $${index + 1}`), ...bounds].join(' AND '),
    filters: filters.length + 2,
    id: 'r.id',
  });
}

/** All sets of filters. The bits of a number select those of a set. */
const SETS = Array.from({ length: 2 ** FILTERS.length }, (_, bits) => FILTERS.filter((_name, index) => (bits >> index) % 2 === 1));

/** The statements by the names of the filters. */
export const LISTS: ReadonlyMap<string, ListStatements<RecordRow>> = new Map(SETS.map((some) => [some.join(), listOf(some)]));
