import { type Static, Type } from 'typebox';
import type { Database } from '../../core/db/database.ts';
import { openList } from '../../core/db/list.ts';
import { unixSeconds } from '../../core/kernel/clock.ts';
import { firstIdAt } from '../../core/kernel/ids.ts';
import { type List, mapList } from '../../core/kernel/list.ts';
import { namedObject, nullable, oneOf } from '../../http/responses/response-types.ts';
import { type NodeEvidence, PaymentEvidenceObject } from '../reconcile/reconciliation-object.ts';
import { lastReport } from '../reconcile/requests.ts';
import * as sql from './operator.sql.ts';
import type { OperatorModules } from './operator.ts';

export const OperatorPaymentObject = namedObject('OperatorPayment', {
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
  evidence: nullable(PaymentEvidenceObject, {
    description:
      'What the node reported when the payment was last looked up for an operator: by the last reconciliation, if the payment was stuck, or by ' +
      'this request. Null if it was not, or if the payment has ended',
  }),
});

type OperatorPayment = Static<typeof OperatorPaymentObject>;

/** The id of a payment may be this much later than its time: see {@link firstIdAt} and the clock that is set back. */
const MAX_SETBACK_SECONDS = 60;

/** Returns pending payments, in the order of their times, with the evidence of the last reconciliation. */
export function listPendingPayments(modules: OperatorModules, status: 'pending' | 'stuck'): List<OperatorPayment> {
  const { database, clock, stuckPaymentSeconds } = modules;
  const until = unixSeconds(clock) - stuckPaymentSeconds;
  const filters =
    status === 'stuck' ? [until, `lntx_${firstIdAt((until + 1 + MAX_SETBACK_SECONDS) * 1000)}`] : [Number.MAX_SAFE_INTEGER, 'lntx_~'];
  return mapList(openList(database, { statements: sql.listPendingUntil, filters, prefix: 'lntx' }), async (rows) => {
    const evidence = rows.length === 0 ? {} : await lastEvidence(database);
    return rows.map((row) => renderPayment(modules, row, evidence[row.id]));
  });
}

/** Returns a payment of any wallet, pending or not. */
export async function findOperatorPayment(modules: OperatorModules, id: string): Promise<OperatorPayment | undefined> {
  const row = await modules.database.first(sql.findPayment, id);
  return row && renderPayment(modules, row, row.state === 'pending' ? (await lastEvidence(modules.database))[id] : undefined);
}

/** Returns the evidence about stuck payments that the last reconciliation looked up. */
async function lastEvidence(database: Database): Promise<Readonly<Record<string, NodeEvidence>>> {
  return (await lastReport(database))?.evidence ?? {};
}

function renderPayment(
  { clock, stuckPaymentSeconds }: OperatorModules,
  {
    state,
    invoice_id,
    unclear_since_ms: _unclearSinceMs,
    unclear_checked_ms: _unclearCheckedMs,
    is_imported: _isImported,
    ...row
  }: sql.PaymentDetailsRow,
  evidence: NodeEvidence | undefined,
): OperatorPayment {
  const ageSeconds = Math.max(0, unixSeconds(clock) - row.created_at);
  return {
    ...row,
    is_keysend: row.is_keysend === 1,
    is_internal: invoice_id !== null,
    status: state === 'succeeded' ? 'settled' : state,
    age_seconds: ageSeconds,
    is_stuck: state === 'pending' && ageSeconds >= stuckPaymentSeconds,
    evidence: evidence ?? null,
  };
}
