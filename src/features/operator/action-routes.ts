import { Type } from 'typebox';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { App } from '../../http/app-type.ts';
import { choice, PaymentRequest, plainText } from '../../http/fields.ts';
import { requires } from '../../http/openapi/route-schema.ts';
import { idParams, NEEDS_KEY, type OperatorRouteModules, Reason, reasonText, runAction } from './action-handler.ts';
import { ActionObject, OperatorPaymentObject, renderAction, renderOperatorPayment } from './money-object.ts';
import { findOperatorPayment } from './pending.ts';
import { findUnmatchedSettlement } from './unmatched-settlements.ts';

const Preimage = Type.String({
  pattern: '^[0-9a-fA-F]{64}$',
  rule: '64 hexadecimal characters',
  description: 'The preimage of the payment, which the receiver shows. Required for `settled`',
});

const HashParams = Type.Object({
  id: Type.String({ description: 'The payment hash of the money in suspense, its `id`' }),
});

const PaymentParams = idParams('payment, `lntx_…`');

const CreditBody = Type.Object(
  {
    wallet_id: Type.String({ maxLength: 64, description: 'The wallet (`wal_…`) to which all that is left of the money is credited' }),
    reason: Reason,
  },
  { additionalProperties: false },
);

const ReturnBody = Type.Object(
  {
    payment_request: { ...PaymentRequest, description: 'A BOLT11 invoice with an amount. The routing fee is paid from the same money' },
    reason: Reason,
  },
  { additionalProperties: false },
);

const ResolveBody = Type.Object(
  {
    outcome: choice(['failed', 'settled'], { description: 'How the payment ended' }),
    preimage: Type.Optional(Preimage),
    reason: Reason,
  },
  { additionalProperties: false },
);

const NoFields = Type.Object({}, { additionalProperties: false });

const COMMON = { tags: ['Operator'], ...requires('operator'), errorStatuses: [409] };

const RECORDED =
  'The action is recorded with the caller, the time and the reason. `status` is `pending` if it has not ended after the wait.';

const creditSchema = {
  ...COMMON,
  operationId: 'creditSuspense',
  summary: 'Credit money in suspense to a wallet',
  description: `Credits all that is left of it, once. 409 \`action_refused\`: nothing is left. ${RECORDED}`,
  params: HashParams,
  body: CreditBody,
  response: { 201: ActionObject },
};

const returnSchema = {
  ...COMMON,
  operationId: 'returnSuspense',
  summary: 'Return money in suspense to its payer',
  description:
    'Pays an invoice with it. What is left after the amount and the routing fee stays in suspense. 409 `action_refused`: the payment failed ' +
    `or was not started, and the money is in suspense. ${RECORDED}`,
  params: HashParams,
  body: ReturnBody,
  response: { 201: ActionObject },
};

const paymentSchema = {
  ...COMMON,
  operationId: 'getOperatorPayment',
  summary: 'Read a payment of any wallet',
  params: PaymentParams,
  response: { 200: OperatorPaymentObject },
  errorStatuses: [],
};

const recheckSchema = {
  ...COMMON,
  operationId: 'recheckPayment',
  summary: 'Look up a pending payment at its node now',
  description:
    'Does what the service does every 30 seconds, and books an outcome that the node reports. If the payment is still pending, the response ' +
    'has what the node reports about it.',
  params: PaymentParams,
  body: NoFields,
  response: { 200: OperatorPaymentObject },
  errorStatuses: [],
};

const resolveSchema = {
  ...COMMON,
  operationId: 'resolvePayment',
  summary: 'End a pending payment with evidence',
  description:
    'The service looks the payment up at its node right before it books. `settled` needs the preimage, and a node that reports success or has ' +
    'no record of the payment. `failed` needs a node that reports failure, or whose records prove that no money can leave it. 409 ' +
    `\`action_refused\`: the evidence does not suffice, and nothing has changed. ${RECORDED}`,
  params: PaymentParams,
  body: ResolveBody,
  response: { 201: ActionObject },
};

/** What operators do with money in suspense and pending payments. */
export function operatorActionRoutes(app: App, deps: OperatorRouteModules): void {
  suspenseRoutes(app, deps);
  paymentRoutes(app, deps);
}

function suspenseRoutes(app: App, deps: OperatorRouteModules): void {
  const { access, database, payments, wallets } = deps;

  /** @throws Refusal `not_found` */
  async function hashOf(id: string): Promise<string> {
    const settlement = await findUnmatchedSettlement(database, id.toLowerCase());
    if (!settlement) throw new Refusal('not_found');
    return settlement.paymentHash;
  }

  app.post('/v1/operator/suspense/:id/credit', { schema: creditSchema, config: NEEDS_KEY }, async (request, reply) => {
    const credential = await access.operator(request);
    const subject = await hashOf(request.params.id);
    const { wallet_id, reason } = request.body;
    const target = plainText('wallet_id', wallet_id);
    if (!(await wallets.find(target))) throw new Refusal('not_found', 'There is no wallet with the id in `wallet_id`.');
    const action = { kind: 'credit', subject, target, reason: reasonText(reason) } as const;
    return reply.code(201).send(renderAction(await runAction(deps, request, reply, credential, action)));
  });

  app.post('/v1/operator/suspense/:id/return', { schema: returnSchema, config: NEEDS_KEY }, async (request, reply) => {
    const credential = await access.operator(request);
    const subject = await hashOf(request.params.id);
    const { paymentRequest: target, amountMsat } = payments.readInvoice(request.body.payment_request);
    if (amountMsat === undefined) throw new Refusal('invoice_amount_missing', 'The invoice must state its amount.');
    const action = { kind: 'return', subject, target, reason: reasonText(request.body.reason) } as const;
    return reply.code(201).send(renderAction(await runAction(deps, request, reply, credential, action)));
  });
}

function paymentRoutes(app: App, deps: OperatorRouteModules): void {
  const { access, runIdempotent, operator } = deps;

  async function readPayment(id: string) {
    const payment = await findOperatorPayment(deps, id);
    if (!payment) throw new Refusal('not_found');
    return payment;
  }

  app.get('/v1/operator/payments/:id', { schema: paymentSchema }, async (request) => {
    await access.operator(request);
    return renderOperatorPayment(await readPayment(request.params.id));
  });

  app.post('/v1/operator/payments/:id/recheck', { schema: recheckSchema, config: NEEDS_KEY }, async (request, reply) => {
    const credential = await access.operator(request);
    const { id } = await readPayment(request.params.id);
    const scope = { credential, objectId: id };
    const payment = await runIdempotent(request, reply, scope, {
      async make({ saveExisting }) {
        await saveExisting(id);
        const evidence = await operator.recheck(id);
        return { ...(await readPayment(id)), evidence };
      },
      replay: readPayment,
    });
    return renderOperatorPayment(payment);
  });

  app.post('/v1/operator/payments/:id/resolve', { schema: resolveSchema, config: NEEDS_KEY }, async (request, reply) => {
    const credential = await access.operator(request);
    const { id: subject } = await readPayment(request.params.id);
    const { outcome: target, preimage, reason } = request.body;
    if ((target === 'settled') !== (preimage !== undefined))
      throw new Refusal('validation_failed', '`preimage` is required for the outcome `settled`, and must be absent for `failed`.');
    const action = { kind: 'resolve', subject, target, preimage: preimage?.toLowerCase(), reason: reasonText(reason) } as const;
    return reply.code(201).send(renderAction(await runAction(deps, request, reply, credential, action)));
  });
}
