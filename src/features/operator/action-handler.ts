import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { operatorGuards } from '../../core/accounts/directory.ts';
import type { Instances } from '../../core/db/instances.ts';
import { unixSeconds } from '../../core/kernel/clock.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { Access, Credential } from '../../http/auth/access.ts';
import { plainText } from '../../http/fields.ts';
import type { IdempotentHandler } from '../../http/idempotent.ts';
import { type Action, type NewAction, requestAction } from './actions.ts';
import type { Operator, OperatorModules } from './operator.ts';

/** The modules of the routes for operators. */
export interface OperatorRouteModules extends OperatorModules {
  readonly access: Access;
  readonly runIdempotent: IdempotentHandler;
  readonly operator: Operator;
  readonly instances: Instances;
  /** The age at which a pending payment is stuck. */
  readonly stuckPaymentSeconds: number;
}

/** Each change by an operator has one effect. */
export const NEEDS_KEY = { needsIdempotencyKey: true };

export const Reason = Type.String({ minLength: 1, maxLength: 500, description: 'Why, for the record: 1 to 500 characters' });

export const ReasonBody = Type.Object({ reason: Reason }, { additionalProperties: false });

/** The parameter of a path that names an object. */
export function idParams(what: string) {
  return Type.Object({ id: Type.String({ description: `The id of the ${what}` }) });
}

/** @throws Refusal */
export function reasonText(reason: string): string {
  const text = plainText('reason', reason).trim();
  if (text === '') throw new Refusal('validation_failed', '`reason` must not be blank.');
  return text;
}

/** Returns the caller as records name it: the key or session, and its account. */
export function callerName({ key }: Credential): string {
  return `${key.id} of ${key.accountId}`;
}

/**
 * Stores an action, once per Idempotency-Key, and waits a limited time for its end. An identical earlier action is returned instead, unless it
 * was refused.
 * @throws Refusal `action_refused`
 */
export async function runAction(
  { runIdempotent, database, clock, operator }: OperatorRouteModules,
  request: FastifyRequest,
  reply: FastifyReply,
  credential: Credential,
  action: Omit<NewAction, 'requestedBy'>,
): Promise<Action> {
  const wanted = { ...action, requestedBy: callerName(credential) };
  const guards = operatorGuards(credential.key);
  const id = await runIdempotent(
    request,
    reply,
    { credential, objectId: action.subject },
    {
      async make({ rows, saveExisting }) {
        const requested = await requestAction(database, wanted, unixSeconds(clock), { guards, extraRows: rows });
        if (!requested.isNew) {
          await saveExisting(requested.action.id);
          reply.header('idempotency-replayed', 'true');
        }
        return requested.action.id;
      },
      replay: async (made) => made,
    },
  );
  const ended = await operator.wait(id);
  if (ended.state === 'refused') throw new Refusal('action_refused', ended.answer);
  return ended;
}
