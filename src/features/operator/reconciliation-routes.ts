import { Type } from 'typebox';
import { unixSeconds } from '../../core/kernel/clock.ts';
import { Refusal, requireFound } from '../../core/kernel/refusal.ts';
import type { App } from '../../http/app-type.ts';
import { choice, requestBody } from '../../http/fields.ts';
import { ListQuery, sendList } from '../../http/responses/list.ts';
import { ReconciliationObject } from '../reconcile/reconciliation-object.ts';
import { findReconciliation, listReconciliations, requestReconciliation } from '../reconcile/requests.ts';
import {
  changeOnce,
  idParams,
  NEEDS_KEY,
  OPERATOR,
  type OperatorRouteModules,
  Reason,
  recordChange,
  requesterOf,
} from './operator-route.ts';

const listSchema = {
  ...OPERATOR,
  operationId: 'listReconciliations',
  summary: 'List reconciliations',
  description: 'Newest first. The service keeps about ten.',
  querystring: ListQuery,
  response: { 200: Type.Array(ReconciliationObject) },
};

const getSchema = {
  ...OPERATOR,
  operationId: 'getReconciliation',
  summary: 'Read a reconciliation',
  params: idParams('reconciliation, `rec_…`'),
  response: { 200: ReconciliationObject },
};

const requestSchema = {
  ...OPERATOR,
  operationId: 'requestReconciliation',
  summary: 'Compare the ledger with the nodes now',
  description: 'Read the reconciliation until `status` is `done` or `failed`. The request is recorded with the caller and the reason.',
  body: requestBody({
    scope: Type.Optional(
      choice(['full', 'new_baseline'], {
        description: '`new_baseline` also accepts the own money of the nodes as it is now, and needs a `reason`. Default: `full`',
      }),
    ),
    reason: Type.Optional(Reason),
  }),
  response: { 201: ReconciliationObject },
};

/** Comparisons of the ledger with the nodes. */
export function reconciliationRoutes(app: App, modules: OperatorRouteModules): void {
  const { access, database, clock } = modules;
  const readReconciliation = async (id: string) => requireFound(await findReconciliation(database, id));

  app.get('/v1/operator/reconciliations', { schema: listSchema }, async (request, reply) => {
    await access.operator(request);
    return sendList(request, reply, listReconciliations(database), (one) => one);
  });

  app.get('/v1/operator/reconciliations/:id', { schema: getSchema }, async (request) => {
    await access.operator(request);
    return readReconciliation(request.params.id);
  });

  app.post('/v1/operator/reconciliations', { schema: requestSchema, config: NEEDS_KEY }, async (request, reply) => {
    const credential = await access.operator(request);
    const { scope = 'full', reason } = request.body;
    if (scope === 'new_baseline' && reason === undefined)
      throw new Refusal('validation_failed', '`reason` is required for the scope `new_baseline`.');
    const requester = requesterOf(request, credential, reason);
    const id = await changeOnce(modules, request, reply, { credential }, async (tx) => {
      const subject = await requestReconciliation(tx, scope, unixSeconds(clock), requester);
      await recordChange(tx, modules, { ...requester, kind: scope === 'full' ? 'reconcile' : scope, subject });
      return subject;
    });
    return reply.code(201).send(await readReconciliation(id));
  });
}
