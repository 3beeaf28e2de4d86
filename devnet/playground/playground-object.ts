import { type Static, Type } from 'typebox';
import { namedObject, oneOf } from '../../src/http/responses/response-types.ts';
import type { OutsidePayment, PlaygroundChannel, PlaygroundDescription } from '../test-network.ts';

export const OutsidePaymentObject = namedObject('OutsidePayment', {
  id: Type.Integer({ description: 'A number; later payments have larger ones' }),
  node: Type.String({ description: '`alice` or `carol`' }),
  direction: oneOf(['received', 'sent'], { description: 'As the other node sees it' }),
  payment_hash: Type.String({ description: '32 bytes in hex' }),
  amount_msat: Type.Integer({ description: 'The amount in millisatoshis' }),
  fee_msat: Type.Integer({ description: 'The routing fee in millisatoshis' }),
  state: oneOf(['succeeded', 'failed', 'pending'], { description: '`pending`: the outcome is not known yet' }),
});

export const PlaygroundObject = namedObject('Playground', {
  network: Type.String({ description: 'Always `regtest`' }),
  nodes: Type.Array(
    Type.Object({
      name: Type.String({ description: '`alice`, `carol`, or the name of a node that belongs to a service, such as `hub`' }),
      pubkey: Type.String({ description: 'The public key of the node: 33 bytes in hex' }),
    }),
    { description: 'The nodes of the network. `GET /v1/nodes` shows which of them belong to this service' },
  ),
  channels: Type.Array(
    Type.Object({
      from: Type.String({ description: 'The name of one of its nodes' }),
      to: Type.String({ description: 'The name of the other one' }),
      capacity_msat: Type.Integer({ description: 'Its capacity in millisatoshis' }),
      from_msat: Type.Integer({ description: 'What `from` can send to `to`, in millisatoshis' }),
      to_msat: Type.Integer({ description: 'What `to` can send to `from`, in millisatoshis' }),
    }),
    {
      description:
        'The channels between the nodes, with what each side can send. The rest of the capacity is channel reserve, fees or in flight',
    },
  ),
  unreachable_pubkey: Type.String({ description: 'A valid public key that no node has' }),
});

export function renderPlayground({
  network,
  nodes,
  channels = [],
  unreachablePubkey,
}: PlaygroundDescription): Static<typeof PlaygroundObject> {
  return { network, nodes: [...nodes], channels: channels.map(renderChannel), unreachable_pubkey: unreachablePubkey };
}

function renderChannel({ nodes, capacityMsat, spendableMsat }: PlaygroundChannel) {
  const [[from, to], [fromMsat, toMsat]] = [nodes, spendableMsat];
  return { from, to, capacity_msat: capacityMsat, from_msat: fromMsat, to_msat: toMsat };
}

export function renderOutsidePayment(payment: OutsidePayment): Static<typeof OutsidePaymentObject> {
  return {
    id: payment.id,
    node: payment.node,
    direction: payment.direction,
    payment_hash: payment.paymentHash,
    amount_msat: payment.amountMsat,
    fee_msat: payment.feeMsat,
    state: payment.state,
  };
}
