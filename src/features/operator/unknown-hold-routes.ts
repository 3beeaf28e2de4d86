import { type Static, Type } from 'typebox';
import type { NodeConnection } from '../../core/connection/connection.ts';
import { withTimeout } from '../../core/kernel/clock.ts';
import { listInMemory } from '../../core/kernel/list.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import { Refusal, requireFound } from '../../core/kernel/refusal.ts';
import { decodeBolt11 } from '../../core/lightning/bolt11/bolt11.ts';
import type { HeldPayment } from '../../core/lightning/node.ts';
import { paymentHashOf } from '../../core/lightning/payment-hash.ts';
import type { App } from '../../http/app-type.ts';
import { HEX_32, requestBody } from '../../http/fields.ts';
import { ListQuery, sendList } from '../../http/responses/list.ts';
import { namedObject, nullable } from '../../http/responses/response-types.ts';
import {
  ACTION,
  amount,
  idParams,
  NEEDS_KEY,
  OPERATOR,
  type OperatorRouteModules,
  RECORDED,
  Reason,
  ReasonBody,
  runAction,
  time,
} from './operator-route.ts';

const NODE = 'node, `lnd_…`';

const UnknownHoldObject = namedObject('UnknownHold', {
  id: Type.String({ description: 'The payment hash, which identifies the payment' }),
  ln_node_id: Type.String({ description: 'The node that holds it, `lnd_…`' }),
  num_msat: amount('What is held'),
  blocks_left: Type.Integer({ description: 'The number of blocks until its first HTLC expires. The node cancels it before' }),
  payment_request: Type.String({ description: 'The BOLT11 invoice' }),
  memo: nullable(Type.String({ description: 'The description in the invoice; null if it has none' })),
  invoice_created_at: time('When the invoice was created'),
});

const listSchema = {
  ...OPERATOR,
  operationId: 'listUnknownHolds',
  summary: 'List held payments that the ledger does not know',
  description:
    'Payments that the node holds, and about which no wallet can decide: the ledger has no open invoice with their payment hash. It may have lost ' +
    'the hold invoice with its database, or another program that uses the node has created it. Those with the fewest blocks left come first. Reads ' +
    'the node now. 503 `node_unavailable`: the node did not answer.',
  params: idParams(NODE),
  querystring: ListQuery,
  response: { 200: Type.Array(UnknownHoldObject) },
};

const HoldParams = Type.Object({
  id: Type.String({ description: `The id of the ${NODE}` }),
  hash: Type.String({ ...HEX_32, description: 'The payment hash of the held payment, its `id`' }),
});

const settleSchema = {
  ...ACTION,
  operationId: 'settleUnknownHold',
  summary: 'Settle a held payment that the ledger does not know',
  description:
    'Makes the node claim the payment with its preimage. The money is then in suspense, from where it is credited or returned. 409 `action_refused`: ' +
    `the node holds no such payment, or a wallet decides about it; nothing was settled. ${RECORDED}`,
  params: HoldParams,
  body: requestBody({
    preimage: Type.String({ ...HEX_32, description: 'The preimage of the payment. Its SHA-256 is the payment hash' }),
    reason: Reason,
  }),
};

const cancelSchema = {
  ...ACTION,
  operationId: 'cancelUnknownHold',
  summary: 'Cancel a held payment that the ledger does not know',
  description:
    'Returns the payment to its payer. 409 `action_refused`: the node holds no such payment, a wallet decides about it, or it was settled before. ' +
    `${RECORDED}`,
  params: HoldParams,
  body: ReasonBody,
};

/** A little longer than the time limit of the adapters. */
const LIST_MS = 12_000;

/** Held payments that the ledger does not know: operators list them at a node, settle them with their preimage, or cancel them. */
export function unknownHoldRoutes(app: App, modules: OperatorRouteModules): void {
  const { access, connections } = modules;
  const nodeOf = (id: string) => requireFound(connections.find(id));

  app.get('/v1/operator/nodes/:id/unknown-holds', { schema: listSchema }, async (request, reply) => {
    await access.operator(request);
    const holds = await readHolds(modules, nodeOf(request.params.id));
    return sendList(
      request,
      reply,
      listInMemory(holds, ({ id }) => id),
      (hold) => hold,
    );
  });

  app.post('/v1/operator/nodes/:id/unknown-holds/:hash/settle', { schema: settleSchema, config: NEEDS_KEY }, async (request, reply) => {
    const credential = await access.operator(request);
    const { nodeId: target } = nodeOf(request.params.id);
    const subject = request.params.hash.toLowerCase();
    const preimage = request.body.preimage.toLowerCase();
    if (paymentHashOf(preimage) !== subject)
      throw new Refusal('validation_failed', '`preimage` must be the 32 bytes, in hex, whose SHA-256 is the payment hash in the path.');
    return runAction(modules, request, reply, credential, { kind: 'settle_held', subject, target, preimage });
  });

  app.post('/v1/operator/nodes/:id/unknown-holds/:hash/cancel', { schema: cancelSchema, config: NEEDS_KEY }, async (request, reply) => {
    const credential = await access.operator(request);
    const { nodeId: target } = nodeOf(request.params.id);
    const subject = request.params.hash.toLowerCase();
    return runAction(modules, request, reply, credential, { kind: 'cancel_held', subject, target });
  });
}

/** @throws Refusal `node_unavailable` */
async function readHolds({ invoices }: OperatorRouteModules, connection: NodeConnection): Promise<Static<typeof UnknownHoldObject>[]> {
  const { nodeId } = connection;
  const held = await withTimeout(LIST_MS, invoices.listUnknownHolds(connection)).catch((error: unknown) => {
    throw new Refusal('node_unavailable', `The node ${nodeId} does not list its held payments: ${errorMessage(error)}.`);
  });
  return held.toSorted((a, b) => a.blocksLeft - b.blocksLeft).map((one) => renderHold(nodeId, one));
}

function renderHold(nodeId: string, { paymentHash, paymentRequest, amountMsat, blocksLeft }: HeldPayment) {
  const { description, timestamp } = contentsOf(paymentRequest);
  return {
    id: paymentHash,
    ln_node_id: nodeId,
    num_msat: amountMsat,
    blocks_left: blocksLeft,
    payment_request: paymentRequest,
    memo: description || null,
    invoice_created_at: timestamp ?? null,
  };
}

/** The invoice may be that of another program, in a form that this one does not read. */
function contentsOf(paymentRequest: string): { readonly description?: string | undefined; readonly timestamp?: number } {
  try {
    return decodeBolt11(paymentRequest);
  } catch {
    return {};
  }
}
