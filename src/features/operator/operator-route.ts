import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { operatorGuards } from '../../core/accounts/directory.ts';
import { type OperatorRecord, type Requester, recordIn, requesterOfKey } from '../../core/accounts/operator-records.ts';
import type { Tx } from '../../core/db/database.ts';
import type { Instances } from '../../core/db/instances.ts';
import { writeRows } from '../../core/db/row-write.ts';
import { unixSeconds } from '../../core/kernel/clock.ts';
import { Refusal, requireFound } from '../../core/kernel/refusal.ts';
import { requireGuards } from '../../core/ledger/ledger.ts';
import type { Withdrawals } from '../../core/withdrawals/withdrawals.ts';
import type { RouteContext } from '../../http/app-type.ts';
import type { Credential } from '../../http/auth/access.ts';
import { plainText, requestBody } from '../../http/fields.ts';
import type { OutcomeWriter } from '../../http/idempotent.ts';
import { MANAGES, requires } from '../../http/openapi/route-schema.ts';
import { nullable } from '../../http/responses/response-types.ts';
import { ActionObject, findRecord } from './action-object.ts';
import { type NewAction, requestAction } from './actions.ts';
import type { Operator, OperatorModules } from './operator.ts';

/** The modules of the routes for operators. */
export interface OperatorRouteModules extends OperatorModules, RouteContext {
  readonly operator: Operator;
  readonly instances: Instances;
  readonly withdrawals: Withdrawals;
}

/** What the schemas of all routes for operators have. */
export const OPERATOR = { tags: ['Operator'], ...requires('operator'), ...MANAGES };

/** The parts of the schema that all routes which request an action have. */
export const ACTION = { ...OPERATOR, errorStatuses: [409], response: { 201: ActionObject } };

/** Each change by an operator has one effect. */
export const NEEDS_KEY = { needsIdempotencyKey: true };

export const RECORDED =
  'The action is recorded with the caller, the time and the reason. `status` is `pending` if it has not ended after the wait.';

export const Reason = Type.String({ minLength: 1, maxLength: 500, description: 'Why, for the record: 1 to 500 characters' });

export const ReasonBody = requestBody({ reason: Reason });

/** The parameter of a path that names an object. */
export function idParams(what: string) {
  return Type.Object({ id: Type.String({ description: `The id of the ${what}` }) });
}

/** An amount of a response. */
export function amount(description: string) {
  return Type.Integer({ description: `${description}, in millisatoshis` });
}

/** A time of a response that may be null. */
export function time(description: string) {
  return nullable(Type.Integer({ description: `${description}, in Unix seconds` }));
}

/** Returns the caller and the reason, as records have them. @throws Refusal */
export function requesterOf({ ip }: FastifyRequest, { key }: Credential, reason: string | undefined): Requester {
  const text = reason === undefined ? '' : plainText('reason', reason).trim();
  if (reason !== undefined && text === '') throw new Refusal('validation_failed', '`reason` must not be blank.');
  return requesterOfKey(key, ip, text);
}

/**
 * Makes a change by an operator once per Idempotency-Key, in one transaction with the outcome of the request.
 * @returns the id of the object that it made or changed
 */
export async function changeOnce(
  { runIdempotent, database }: OperatorRouteModules,
  request: FastifyRequest,
  reply: FastifyReply,
  scope: { readonly credential: Credential; readonly objectId?: string },
  change: (tx: Tx) => Promise<string>,
): Promise<string> {
  const make = ({ rows }: OutcomeWriter) =>
    database.transaction(async (tx) => {
      await requireGuards(tx, operatorGuards(scope.credential.key));
      const id = await change(tx);
      await writeRows(tx, rows(id));
      return id;
    });
  return runIdempotent(request, reply, scope, { make, replay: async (id) => id });
}

/** Writes an entry of the audit log about a change that is not an action. @returns its id */
export function recordChange(tx: Tx, { clock }: OperatorModules, record: OperatorRecord): Promise<string> {
  return recordIn(tx, record, unixSeconds(clock));
}

/**
 * Stores an action, once per Idempotency-Key, and waits a limited time for its end. An identical earlier action is returned instead, unless it
 * was refused. Sends it with the status 201.
 * @throws Refusal `action_refused`
 */
export async function runAction(
  modules: OperatorRouteModules,
  request: FastifyRequest<{ Body: { reason: string } }>,
  reply: FastifyReply,
  credential: Credential,
  action: Omit<NewAction, keyof Requester>,
): Promise<Static<typeof ActionObject>> {
  const wanted = { ...action, ...requesterOf(request, credential, request.body.reason) };
  const id = await changeOnce(modules, request, reply, { credential, objectId: action.subject }, async (tx) => {
    const { id, isNew } = await requestAction(tx, wanted, unixSeconds(modules.clock));
    if (!isNew) reply.header('idempotency-replayed', 'true');
    return id;
  });
  const ended = await modules.operator.wait(id);
  if (ended.state === 'refused') throw new Refusal('action_refused', ended.answer);
  reply.code(201);
  return requireFound(await findRecord(modules.database, id));
}
