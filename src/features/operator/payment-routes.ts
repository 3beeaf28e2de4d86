import { Type } from 'typebox';
import { Refusal, requireFound } from '../../core/kernel/refusal.ts';
import type { App } from '../../http/app-type.ts';
import { choice, HEX_32, requestBody } from '../../http/fields.ts';
import { ListQuery, sendList } from '../../http/responses/list.ts';
import { ACTION, idParams, NEEDS_KEY, OPERATOR, type OperatorRouteModules, RECORDED, Reason, runAction } from './operator-route.ts';
import { findOperatorPayment, listPendingPayments, OperatorPaymentObject } from './payment-object.ts';

const PaymentParams = idParams('payment, `lntx_…`');
const ResolveParams = idParams('payment, `lntx_…`; of a received payment for no wallet, its payment hash');

const listSchema = {
  ...OPERATOR,
  operationId: 'listPendingPayments',
  summary: 'List stuck or pending payments of all wallets',
  description: 'Oldest first. They end by themselves when the node reports an outcome. Never refund one by hand before.',
  querystring: Type.Object({
    ...ListQuery.properties,
    order: Type.Optional(choice(['asc', 'desc'], { description: '`asc`: oldest first, the default. `desc`: newest first' })),
    status: Type.Optional(
      choice(['stuck', 'pending'], { description: '`stuck`: pending for longer than STUCK_PAYMENT_SECONDS. Default: `stuck`' }),
    ),
  }),
  response: { 200: Type.Array(OperatorPaymentObject) },
};

const getSchema = {
  ...OPERATOR,
  operationId: 'getOperatorPayment',
  summary: 'Read a payment of any wallet',
  params: PaymentParams,
  response: { 200: OperatorPaymentObject },
};

const recheckSchema = {
  ...OPERATOR,
  operationId: 'recheckPayment',
  summary: 'Look up a pending payment at its node now',
  description:
    'Does what the service does every 30 seconds, and books an outcome that the node reports. If the payment is still pending, the response ' +
    'has what the node reports about it.',
  params: PaymentParams,
  body: requestBody({}),
  response: { 200: OperatorPaymentObject },
};

const resolveSchema = {
  ...ACTION,
  operationId: 'resolvePayment',
  summary: 'End a pending payment with evidence',
  description:
    'The service looks the payment up at its node right before it books. `settled` needs the preimage, and a node that reports success or has ' +
    'no record of the payment. `failed` needs a node that reports failure, or whose records prove that no money can leave it. 409 ' +
    '`action_refused`: the evidence does not suffice, and nothing has changed; or the node’s records ended the payment with the other outcome, which the ' +
    'message names. A received payment that is `arriving` is credited by `settled`, and ended without a credit by `failed`, unless the node ' +
    `reports how it ended. ${RECORDED}`,
  params: ResolveParams,
  body: requestBody({
    outcome: choice(['failed', 'settled'], { description: 'How the payment ended' }),
    preimage: Type.Optional(
      Type.String({
        ...HEX_32,
        description: 'The preimage of the payment, which the receiver shows. Required for `settled`, except for a received payment',
      }),
    ),
    reason: Reason,
  }),
};

/** Payments of all wallets: operators list the pending ones, look one up at its node, and end one with evidence. */
export function operatorPaymentRoutes(app: App, modules: OperatorRouteModules): void {
  const { access, runIdempotent, operator } = modules;
  const readPayment = async (id: string) => requireFound(await findOperatorPayment(modules, id));

  app.get('/v1/operator/payments', { schema: listSchema }, async (request, reply) => {
    await access.operator(request);
    const { status = 'stuck' } = request.query;
    return sendList(request, reply, listPendingPayments(modules, status), (payment) => payment, { defaultOrder: 'asc' });
  });

  app.get('/v1/operator/payments/:id', { schema: getSchema }, async (request) => {
    await access.operator(request);
    return readPayment(request.params.id);
  });

  app.post('/v1/operator/payments/:id/recheck', { schema: recheckSchema, config: NEEDS_KEY }, async (request, reply) => {
    const credential = await access.operator(request);
    const { id } = await readPayment(request.params.id);
    return runIdempotent(
      request,
      reply,
      { credential, objectId: id },
      {
        async make({ saveExisting }) {
          await saveExisting(id);
          const evidence = await operator.recheck(id);
          return { ...(await readPayment(id)), evidence };
        },
        replay: readPayment,
      },
    );
  });

  app.post('/v1/operator/payments/:id/resolve', { schema: resolveSchema, config: NEEDS_KEY }, async (request, reply) => {
    const credential = await access.operator(request);
    const isReceived = await modules.invoices.isReported(request.params.id);
    const { id: subject, wallet_id: walletId } = isReceived
      ? { ...request.params, wallet_id: undefined }
      : await readPayment(request.params.id);
    const accountId = walletId === undefined ? undefined : (await modules.wallets.find(walletId))?.accountId;
    const { outcome: target, preimage } = request.body;
    if ((target === 'settled' && !isReceived) !== (preimage !== undefined)) {
      const message = '`preimage` is required for the outcome `settled`, and must be absent for `failed` and for a received payment.';
      throw new Refusal('validation_failed', message);
    }
    const action = { kind: 'resolve', subject, target, accountId, preimage: preimage?.toLowerCase() } as const;
    return runAction(modules, request, reply, credential, action);
  });
}
