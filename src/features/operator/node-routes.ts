import { Type } from 'typebox';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { App } from '../../http/app-type.ts';
import { plainText, requestBody } from '../../http/fields.ts';
import { isNode } from './nodes.ts';
import { ACTION, idParams, NEEDS_KEY, type OperatorRouteModules, Reason, ReasonBody, runAction } from './operator-route.ts';
import { unknownHoldRoutes } from './unknown-hold-routes.ts';

const NODE = { ...ACTION, params: idParams('node, `lnd_…`'), body: ReasonBody };

const SCHEMAS = {
  drain: { ...NODE, operationId: 'drainNode', summary: 'Give a node no new wallets', description: 'Its wallets stay and work as before.' },
  activate: { ...NODE, operationId: 'activateNode', summary: 'Give a drained node new wallets again' },
};

const moveSchema = {
  ...ACTION,
  operationId: 'moveWallet',
  summary: 'Move a wallet to another node',
  description:
    'No money moves: the balance is in the ledger. Its open invoices can still be paid at the old node. 409 `action_refused`: the wallet has ' +
    'pending payments, or the node is unknown, draining or already its node.',
  params: idParams('wallet, `wal_…`'),
  body: requestBody({
    ln_node_id: Type.String({
      maxLength: 64,
      description: 'The node (`lnd_…`) that creates its invoices and sends its payments from then on',
    }),
    reason: Reason,
  }),
};

/** What operators do with nodes. */
export function operatorNodeRoutes(app: App, modules: OperatorRouteModules): void {
  const { access, database, wallets } = modules;
  for (const kind of ['drain', 'activate'] as const) {
    app.post(`/v1/operator/nodes/:id/${kind}`, { schema: SCHEMAS[kind], config: NEEDS_KEY }, async (request, reply) => {
      const credential = await access.operator(request);
      const subject = request.params.id;
      if (!(await isNode(database, subject))) throw new Refusal('not_found', 'There is no node with this id.');
      return runAction(modules, request, reply, credential, { kind, subject, target: '' });
    });
  }

  app.post('/v1/operator/wallets/:id/move', { schema: moveSchema, config: NEEDS_KEY }, async (request, reply) => {
    const credential = await access.operator(request);
    const subject = request.params.id;
    const wallet = await wallets.find(subject);
    if (!wallet) throw new Refusal('not_found', 'There is no wallet with this id.');
    const target = plainText('ln_node_id', request.body.ln_node_id);
    return runAction(modules, request, reply, credential, { kind: 'move', subject, target, accountId: wallet.accountId });
  });

  unknownHoldRoutes(app, modules);
}
