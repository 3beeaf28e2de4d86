import { type Static, Type } from 'typebox';
import { nullable, oneOf } from '../../http/responses/response-types.ts';
import type { NodeEvidence } from '../reconcile/pending.ts';
import type { ActionRecord } from './actions.ts';
import type { OperatorPayment } from './pending.ts';
import type { UnmatchedSettlement } from './unmatched-settlements.ts';

export const ACTION_KINDS = ['credit', 'return', 'resolve', 'drain', 'activate', 'move', 'set_fiat_rate', 'remove_fiat_rate'] as const;

export const ActionObject = Type.Object(
  {
    id: Type.String({ description: 'The id of the action, `opa_…`' }),
    kind: oneOf(ACTION_KINDS, { description: 'What was requested' }),
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
    requested_by: Type.String({
      description: 'The key or session, and its account',
    }),
    reason: Type.String({
      description: 'The reason that the operator stated; empty for a change of the fiat rate',
    }),
    requested_at: Type.Integer({ description: 'Unix seconds' }),
    ended_at: nullable(Type.Integer({ description: 'Unix seconds; null while it is pending' })),
    answer: Type.String({ description: 'The result as a sentence' }),
    evidence: nullable(Type.String({ description: 'The evidence with which a payment was ended' })),
    payment_id: nullable(Type.String({ description: 'The payment that returns money from suspense, `lntx_…`' })),
  },
  { title: 'OperatorAction' },
);

export const UnmatchedSettlementObject = Type.Object(
  {
    id: Type.String({ description: 'The payment hash, which identifies the money' }),
    created_at: Type.Integer({ description: 'When it arrived, in Unix seconds' }),
    num_msat: Type.Integer({ description: 'What arrived, in millisatoshis' }),
    left_msat: Type.Integer({ description: 'What of it is left in suspense, in millisatoshis' }),
    ln_node_id: Type.String({ description: 'The node at which it arrived' }),
    is_keysend: Type.Boolean({ description: 'Whether it was a keysend. Otherwise an invoice was paid twice' }),
    actions: Type.Array(ActionObject, { description: 'What operators requested for it, oldest first' }),
  },
  { title: 'SuspendedMoney' },
);

const EvidenceObject = Type.Object({
  checked_at: Type.Integer({ description: 'When the node was asked, in Unix seconds' }),
  node_state: Type.String({
    description:
      'The state of the payment at the node: `pending`, `succeeded`, `failed (…)`, `no record` or `no response`; of an internal payment, that of its invoice',
  }),
  facts: Type.Array(
    Type.Object({
      fact: Type.String({ description: 'A sentence' }),
      holds: Type.Boolean({ description: 'Whether it is true' }),
      detail: Type.String({ description: 'What the node reported' }),
    }),
    {
      description: 'What the records of the node show. Empty unless the node reports the payment as pending, and its adapter can read them',
    },
  ),
  proves_failure: Type.Boolean({
    description: 'Whether the facts prove that no money can leave the node for this payment any more',
  }),
});

export const OperatorPaymentObject = Type.Object(
  {
    id: Type.String({ description: 'The id of the lightning transaction, `lntx_…`' }),
    wallet_id: Type.String({ description: 'The wallet that pays' }),
    wallet_label: Type.String({ description: 'Its label' }),
    ln_node_id: Type.String({ description: 'The node that sends it' }),
    payment_hash: Type.String({ description: '32 bytes in hex' }),
    user_label: Type.String({ description: 'The label of the payment' }),
    num_msat: Type.Integer({ description: 'The amount, in millisatoshis' }),
    held_msat: Type.Integer({ description: 'The amount and the fee reserve, in millisatoshis' }),
    is_keysend: Type.Boolean({ description: 'Whether it has no invoice' }),
    is_internal: Type.Boolean({ description: 'Whether it pays another wallet of this service' }),
    status: oneOf(['pending', 'settled', 'failed'], { description: 'Its state in the ledger' }),
    failure_reason: nullable(Type.String({ description: 'Why it failed; null unless it failed' })),
    created_at: Type.Integer({ description: 'Unix seconds' }),
    age_seconds: Type.Integer({ description: 'The seconds since then' }),
    is_stuck: Type.Boolean({ description: 'Whether it has been pending for longer than STUCK_PAYMENT_SECONDS' }),
    evidence: nullable(EvidenceObject, {
      description:
        'What the node reported when the payment was last looked up for an operator: by the last reconciliation, if the payment was stuck, or by ' +
        'this request. Null if it was not, or if the payment has ended',
    }),
  },
  { title: 'OperatorPayment' },
);

export function renderAction(action: ActionRecord): Static<typeof ActionObject> {
  const { state } = action;
  return {
    id: action.id,
    kind: action.kind,
    status: state === 'done' || state === 'refused' ? state : 'pending',
    subject: action.subject,
    target: action.target,
    requested_by: action.requestedBy,
    reason: action.reason,
    requested_at: action.requestedAt,
    ended_at: action.endedAt ?? null,
    answer: action.answer,
    evidence: action.evidence ?? null,
    payment_id: action.paymentId ?? null,
  };
}

export function renderUnmatchedSettlement(settlement: UnmatchedSettlement): Static<typeof UnmatchedSettlementObject> {
  return {
    id: settlement.paymentHash,
    created_at: settlement.settledAt,
    num_msat: settlement.amountMsat,
    left_msat: settlement.leftMsat,
    ln_node_id: settlement.nodeId,
    is_keysend: settlement.isKeysend,
    actions: settlement.actions.map(renderAction),
  };
}

export function renderOperatorPayment(payment: OperatorPayment): Static<typeof OperatorPaymentObject> {
  return {
    id: payment.id,
    wallet_id: payment.walletId,
    wallet_label: payment.walletLabel,
    ln_node_id: payment.nodeId,
    payment_hash: payment.paymentHash,
    user_label: payment.userLabel,
    num_msat: payment.amountMsat,
    held_msat: payment.heldMsat,
    is_keysend: payment.isKeysend,
    is_internal: payment.isInternal,
    status: payment.state === 'succeeded' ? 'settled' : payment.state,
    failure_reason: payment.failureReason ?? null,
    created_at: payment.createdAt,
    age_seconds: payment.ageSeconds,
    is_stuck: payment.isStuck,
    evidence: payment.evidence ? renderEvidence(payment.evidence) : null,
  };
}

function renderEvidence({ at, nodeState, proof }: NodeEvidence): Static<typeof EvidenceObject> {
  return {
    checked_at: at,
    node_state: nodeState,
    facts: proof ? proof.items.map(({ fact, holds, detail }) => ({ fact, holds, detail })) : [],
    proves_failure: proof?.provesFailure ?? false,
  };
}
