import { type Static, Type } from 'typebox';
import type { SqlReader } from '../../core/db/database.ts';
import { openList } from '../../core/db/list.ts';
import { type List, mapList } from '../../core/kernel/list.ts';
import { namedObject, nullable, oneOf } from '../../http/responses/response-types.ts';
import * as sql from './operator.sql.ts';

const KINDS = ['credit', 'return', 'resolve', 'drain', 'activate', 'move', 'set_fiat_rate', 'remove_fiat_rate'] as const;

export const ActionObject = namedObject('OperatorAction', {
  id: Type.String({ description: 'The id of the action, `opa_…`' }),
  kind: oneOf(KINDS, { description: 'What was requested' }),
  status: oneOf(['pending', 'done', 'refused'], {
    description: '`pending`: the service is executing it. `refused`: it changed nothing; `answer` has the reason',
  }),
  subject: Type.String({
    description:
      'The payment hash of the money in suspense, the id of the payment, node or wallet, or the currency of the fiat rate. Empty when the fiat ' +
      'rate is removed',
  }),
  target: Type.String({
    description: 'The wallet, the payment request, the outcome, the node or the rate of the request; empty if the kind has none',
  }),
  requested_by: Type.String({ description: 'The key or session, and its account' }),
  reason: Type.String({ description: 'The reason that the operator stated; empty for a change of the fiat rate' }),
  requested_at: Type.Integer({ description: 'Unix seconds' }),
  ended_at: nullable(Type.Integer({ description: 'Unix seconds; null while it is pending' })),
  answer: Type.String({ description: 'The result as a sentence' }),
  evidence: nullable(Type.String({ description: 'The evidence with which a payment was ended' })),
  payment_id: nullable(Type.String({ description: 'The payment that returns money from suspense, `lntx_…`' })),
});

type ActionResponse = Static<typeof ActionObject>;

/** Returns an action or a change of the fiat rate. */
export async function findRecord(database: SqlReader, id: string): Promise<ActionResponse | undefined> {
  const row = await database.first(sql.findRecord, id);
  return row && renderAction(row);
}

/** Returns actions and changes of the fiat rate, in the order of their times. */
export function listRecords(database: SqlReader): List<ActionResponse> {
  return mapList(openList(database, { statements: sql.listRecords, prefix: 'opa' }), (rows) => rows.map(renderAction));
}

export function renderAction(row: sql.RecordRow): ActionResponse {
  const { id, kind, state, subject, target, requested_by, reason, requested_at, ended_at, answer, evidence, payment_id } = row;
  const status = state === 'done' || state === 'refused' ? state : 'pending';
  return { id, kind, status, subject, target, requested_by, reason, requested_at, ended_at, answer, evidence, payment_id };
}
