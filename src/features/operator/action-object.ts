import { type Static, Type } from 'typebox';
import { type FieldChange, RECORD_KINDS, type RecordKind } from '../../core/accounts/operator-records.ts';
import type { SqlReader } from '../../core/db/database.ts';
import { openList } from '../../core/db/list.ts';
import { firstIdAt } from '../../core/kernel/ids.ts';
import { type List, mapList } from '../../core/kernel/list.ts';
import { namedObject, nullable, oneOf } from '../../http/responses/response-types.ts';
import * as sql from './records.sql.ts';

const FieldChangeObject = Type.Object({
  field: Type.String({ description: 'The name of the field' }),
  before: nullable(Type.String({ description: 'Its value before, as text; null if it had none' })),
  after: nullable(Type.String({ description: 'Its value after, as text; null if it has none' })),
});

export const ActionObject = namedObject('OperatorAction', {
  id: Type.String({ description: 'The id of the action, `opa_…`' }),
  kind: oneOf(RECORD_KINDS, { description: 'What was requested' }),
  status: oneOf(['pending', 'done', 'refused'], {
    description: '`pending`: the service is executing it. `refused`: it changed nothing; `answer` has the reason',
  }),
  subject: Type.String({
    description:
      'What was changed: the payment hash of the money in suspense or of the held payment, the id of the account, note, payment, node, wallet, alert or reconciliation, or ' +
      'the currency of the fiat rate. Empty when the fiat rate is removed',
  }),
  target: Type.String({
    description:
      'The wallet, the payment request, the outcome, the node, the kind of alert or the rate of the request; empty if the kind has none',
  }),
  account_id: nullable(Type.String({ description: 'The account that is concerned; null if there is none' })),
  changes: Type.Array(FieldChangeObject, { description: 'The fields that were set, with their values before and after' }),
  requested_by: Type.String({ description: 'The key or session, and its account' }),
  actor_id: nullable(Type.String({ description: 'The account of the operator; null if it is unknown' })),
  origin: nullable(Type.String({ description: 'The IP address of the request; null if it is unknown' })),
  reason: Type.String({ description: 'The reason that the operator stated; empty if the kind needs none' }),
  requested_at: Type.Integer({ description: 'Unix seconds' }),
  ended_at: nullable(Type.Integer({ description: 'Unix seconds; null while it is pending' })),
  answer: Type.String({ description: 'The result as a sentence; empty if the kind has none' }),
  evidence: nullable(Type.String({ description: 'The evidence with which a payment was ended' })),
  payment_id: nullable(Type.String({ description: 'The payment that returns money from suspense, `lntx_…`' })),
});

type ActionResponse = Static<typeof ActionObject>;

/** Which entries a list has; absent: all. */
export interface RecordFilter {
  readonly accountId?: string | undefined;
  /** The account of the operator. */
  readonly actor?: string | undefined;
  readonly kind?: RecordKind | undefined;
  /** Unix seconds; `until` is excluded. */
  readonly from?: number | undefined;
  readonly until?: number | undefined;
}

/** Sorts after every id. */
const AFTER_ALL = 'opa_~';

export async function findRecord(database: SqlReader, id: string): Promise<ActionResponse | undefined> {
  const row = await database.first(sql.findRecord, id);
  return row && renderRecord(row);
}

/** Returns the audit log of operators, in the order of the times. */
export function listRecords(database: SqlReader, { accountId, actor, kind, from, until }: RecordFilter = {}): List<ActionResponse> {
  const values = { account_id: accountId, actor, kind };
  const given = sql.FILTERS.filter((name) => values[name] !== undefined);
  const statements = sql.LISTS.get(given.join());
  if (!statements) throw new Error('the list has no such filter');
  const idAt = (seconds: number | undefined, absent: string) => (seconds === undefined ? absent : `opa_${firstIdAt(seconds * 1000)}`);
  const filters = [...given.map((name) => values[name] ?? ''), idAt(from, ''), idAt(until, AFTER_ALL)];
  return mapList(openList(database, { statements, filters, prefix: 'opa' }), (rows) => rows.map(renderRecord));
}

/** Returns the newest actions on money in suspense, oldest first. */
export async function listRecordsOfSubject(database: SqlReader, subject: string): Promise<ActionResponse[]> {
  return (await database.all(sql.listOfSubject, subject)).map(renderRecord);
}

function renderRecord({ state, actor, changes, ...row }: sql.RecordRow): ActionResponse {
  const status = state === null ? 'done' : state === 'done' || state === 'refused' ? state : 'pending';
  return { ...row, status, actor_id: actor, changes: JSON.parse(changes) as FieldChange[], answer: row.answer ?? answerOf(row) };
}

/** The changes of the fiat rate are executed at once. */
function answerOf({ kind, subject, target }: Pick<sql.RecordRow, 'kind' | 'subject' | 'target'>): string {
  if (kind === 'remove_fiat_rate') return 'No fiat value is shown.';
  return kind === 'set_fiat_rate' ? `1 BTC is shown as ${target} ${subject}.` : '';
}
