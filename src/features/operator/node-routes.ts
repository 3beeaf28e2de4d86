import { Type } from 'typebox';
import { operatorGuards } from '../../core/accounts/directory.ts';
import { unixSeconds } from '../../core/kernel/clock.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { App } from '../../http/app-type.ts';
import { choice, plainText } from '../../http/fields.ts';
import { requires } from '../../http/openapi/route-schema.ts';
import { ReconciliationObject } from '../reconcile/reconciliation-object.ts';
import { findReconciliation, requestReconciliation } from '../reconcile/requests.ts';
import { callerName, idParams, NEEDS_KEY, type OperatorRouteModules, Reason, ReasonBody, reasonText, runAction } from './action-handler.ts';
import { AlertObject, renderAlert } from './checks-object.ts';
import { ActionObject, renderAction } from './money-object.ts';
import { isNode } from './nodes.ts';
import { closeOpenAlert } from './operator.ts';

const COMMON = { tags: ['Operator'], ...requires('operator'), errorStatuses: [409] };

const NODE = { ...COMMON, params: idParams('node, `lnd_…`'), body: ReasonBody, response: { 201: ActionObject } };

const drainSchema = {
  ...NODE,
  operationId: 'drainNode',
  summary: 'Give a node no new wallets',
  description: 'Its wallets stay and work as before.',
};

const activateSchema = {
  ...NODE,
  operationId: 'activateNode',
  summary: 'Give a drained node new wallets again',
};

const moveSchema = {
  ...COMMON,
  operationId: 'moveWallet',
  summary: 'Move a wallet to another node',
  description:
    'No money moves: the balance is in the ledger. Its open invoices can still be paid at the old node. 409 `action_refused`: the wallet has ' +
    'pending payments, or the node is unknown, draining or already its node.',
  params: idParams('wallet, `wal_…`'),
  body: Type.Object(
    {
      ln_node_id: Type.String({
        maxLength: 64,
        description: 'The node (`lnd_…`) that creates its invoices and sends its payments from then on',
      }),
      reason: Reason,
    },
    { additionalProperties: false },
  ),
  response: { 201: ActionObject },
};

const reconcileSchema = {
  ...COMMON,
  operationId: 'requestReconciliation',
  summary: 'Compare the ledger with the nodes now',
  description: 'Read the reconciliation until `status` is `done` or `failed`. The request is recorded with the caller and the reason.',
  body: Type.Object(
    {
      scope: Type.Optional(
        choice(['full', 'new_baseline'], {
          description: '`new_baseline` also accepts the own money of the nodes as it is now, and needs a `reason`. Default: `full`',
        }),
      ),
      reason: Type.Optional(Reason),
    },
    { additionalProperties: false },
  ),
  response: { 201: ReconciliationObject },

  errorStatuses: [],
};

const closeSchema = {
  ...COMMON,
  operationId: 'closeAlert',
  summary: 'Close an alert',
  description:
    'For alerts that only an operator can close. An alert whose cause persists opens again. 409 `action_refused`: it is closed already. ' +
    'The caller and the reason are stored with it.',
  params: idParams('alert'),
  body: ReasonBody,
  response: { 200: AlertObject },
};

/** What operators do with nodes, reconciliation and alerts. */
export function operatorNodeRoutes(app: App, deps: OperatorRouteModules): void {
  const { access, database } = deps;
  for (const [kind, schema] of [['drain', drainSchema] as const, ['activate', activateSchema] as const]) {
    app.post(`/v1/operator/nodes/:id/${kind}`, { schema, config: NEEDS_KEY }, async (request, reply) => {
      const credential = await access.operator(request);
      if (!(await isNode(database, request.params.id))) throw new Refusal('not_found', 'There is no node with this id.');
      const action = { kind, subject: request.params.id, target: '', reason: reasonText(request.body.reason) };
      return reply.code(201).send(renderAction(await runAction(deps, request, reply, credential, action)));
    });
  }

  app.post('/v1/operator/wallets/:id/move', { schema: moveSchema, config: NEEDS_KEY }, async (request, reply) => {
    const credential = await access.operator(request);
    const subject = request.params.id;
    if (!(await deps.wallets.find(subject))) throw new Refusal('not_found', 'There is no wallet with this id.');
    const target = plainText('ln_node_id', request.body.ln_node_id);
    const action = { kind: 'move', subject, target, reason: reasonText(request.body.reason) } as const;
    return reply.code(201).send(renderAction(await runAction(deps, request, reply, credential, action)));
  });
  checkRoutes(app, deps);
}

function checkRoutes(app: App, deps: OperatorRouteModules): void {
  const { access, runIdempotent, database, alerts, clock } = deps;

  async function readReconciliation(id: string) {
    const found = await findReconciliation(database, id);
    if (!found) throw new Refusal('not_found');
    return found;
  }

  async function readAlert(id: string) {
    const found = await alerts.find(id);
    if (!found) throw new Refusal('not_found');
    return renderAlert(found);
  }

  app.post('/v1/operator/reconciliations', { schema: reconcileSchema, config: NEEDS_KEY }, async (request, reply) => {
    const credential = await access.operator(request);
    const { scope = 'full', reason } = request.body;
    if (scope === 'new_baseline' && reason === undefined)
      throw new Refusal('validation_failed', '`reason` is required for the scope `new_baseline`.');
    const requester = { requestedBy: callerName(credential), reason: reason === undefined ? '' : reasonText(reason) };
    const guards = operatorGuards(credential.key);
    const id = await runIdempotent(
      request,
      reply,
      { credential },
      {
        make: ({ rows }) => requestReconciliation(database, scope, unixSeconds(clock), requester, { guards, extraRows: rows }),
        replay: async (made) => made,
      },
    );
    return reply.code(201).send(await readReconciliation(id));
  });

  app.post('/v1/operator/alerts/:id/close', { schema: closeSchema, config: NEEDS_KEY }, async (request, reply) => {
    const credential = await access.operator(request);
    const { id } = request.params;
    const requester = { requestedBy: callerName(credential), reason: reasonText(request.body.reason) };
    const options = { guards: operatorGuards(credential.key) };
    await runIdempotent(
      request,
      reply,
      { credential, objectId: id },
      {
        make: ({ rows }) => closeOpenAlert(deps, id, requester, { ...options, extraRows: rows }),
        replay: async () => undefined,
      },
    );
    return readAlert(id);
  });
}
