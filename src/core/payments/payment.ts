import type { Charge } from '../budgets/budgets.ts';
import type { SqlReader, SqlValue } from '../db/database.ts';
import { type RowOf, withoutNulls } from '../db/fields.ts';
import type { Statement } from '../db/statement.ts';
import type { FeeDirection } from '../fees/fee-rule.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { newId, splitIds } from '../kernel/ids.ts';
import { type Msat, msat, subMsat, ZERO_MSAT } from '../kernel/money.ts';
import type { CustomRecords, FailureReason, PaymentReference } from '../lightning/node.ts';
import type { Wallet } from '../wallets/wallets.ts';
import * as sql from './payments.sql.ts';

/**
 * An outgoing payment of a wallet. A payment is one attempt: its id is also the id of its hold and of the payment at the node.
 * Times are Unix seconds; hashes and keys are hex.
 */
export interface Payment {
  /** `lntx_…` */
  readonly id: string;
  readonly walletId: string;
  readonly ledgerAccount: number;
  readonly nodeId: string;
  /** The id of the ledger transfer that will move the amount. It is generated with the hold, so the wallet transaction has its id from then on. */
  readonly transferId: string;
  readonly wtxType: WithdrawalType;
  readonly state: 'pending' | 'succeeded' | 'failed';
  readonly failureReason?: FailureReason | undefined;
  readonly paymentHash: string;
  readonly paymentRequest: string;
  readonly destPubkey: string;
  readonly amountMsat: Msat;
  readonly feeMsat?: Msat | undefined;
  /** What the service charges when the payment succeeds, and the fee schedule; undefined if nothing. */
  readonly serviceFeeMsat?: Msat | undefined;
  readonly feeScheduleId?: string | undefined;
  readonly userLabel: string;
  readonly memo: string;
  readonly descriptionHash?: string | undefined;
  readonly expirySeconds: number;
  readonly expiresAt?: number | undefined;
  readonly createdAt: number;
  readonly settledAt?: number | undefined;
  /** Known from the start for a keysend. Must not be shown before the payment has succeeded. */
  readonly preimage?: string | undefined;
  readonly isKeysend: boolean;
  readonly customRecords?: CustomRecords | undefined;
  /** JSON text from the request. */
  readonly passThru?: string | undefined;
  /** JSON text of a `FiatAmount`, if the amount was requested in a currency. */
  readonly fiat?: string | undefined;
  /** The invoice of another wallet that an internal payment settles. */
  readonly invoiceId?: string | undefined;
  /** The withdraw link that was claimed. */
  readonly linkId?: string | undefined;
  /** JSON text: what the payee of an LNURL shows after the payment. Module `lnurl` writes and reads it. */
  readonly successAction?: string | undefined;
  /** What the payment counts against the budget of the requesting key. */
  readonly charge?: Charge | undefined;
  /** The owners in whose limits it counts, separated by spaces; undefined: none. */
  readonly limitOwners?: string | undefined;
  /** Set when the node reported success after failure: the wallet was `charged`, or the operator has `borne` the cost. */
  readonly correction?: 'charged' | 'borne' | undefined;
  /** When the last request to send it began, in Unix milliseconds. Absent: the node never received one. */
  readonly sendingSinceMs?: number | undefined;
  /** When the outcome of a request became unclear, in Unix milliseconds. */
  readonly unclearSinceMs?: number | undefined;
  /** Until when a process has observed the node since, in Unix milliseconds. */
  readonly unclearCheckedMs?: number | undefined;
  /** The node has confirmed that it knows the payment. From then on it is looked up and never sent again. */
  readonly isAtNode?: boolean | undefined;
  /** Another program sent it before its wallet was imported. */
  readonly isImported?: boolean | undefined;
  /** The event `payment_pending` is stored. */
  readonly isPendingReported?: boolean | undefined;
  /** Set if the payment was read back from the node after a restore: what its wallet lacked, and `restore_difference` bears. */
  readonly shortfallMsat?: Msat | undefined;
}

/** The type of the wallet transaction. */
export type WithdrawalType = 'ln_withdrawal' | 'ln_lnurl_withdraw' | 'ln_lnurl_pay_outbound';

/** The fields that every new payment sets in the same way. */
type CommonField =
  | 'id'
  | 'walletId'
  | 'ledgerAccount'
  | 'nodeId'
  | 'transferId'
  | 'state'
  | 'createdAt'
  | 'sendingSinceMs'
  | 'shortfallMsat';

/** Returns a new pending payment of a wallet. It is not stored yet. */
export function newPayment(clock: Clock, wallet: Wallet, fields: Omit<Payment, CommonField>): Payment {
  return {
    ...fields,
    // An internal payment is never sent. The first request of any other follows the hold at once.
    sendingSinceMs: fields.invoiceId === undefined ? clock.nowMs() : undefined,
    id: `lntx_${newId(clock.nowMs())}`,
    walletId: wallet.id,
    ledgerAccount: wallet.ledgerAccount,
    nodeId: wallet.nodeId,
    transferId: newId(clock.nowMs()),
    state: 'pending',
    createdAt: unixSeconds(clock),
  };
}

/** A payment as the database has it, without the fields of which several columns or conversions make one. */
export type PaymentRow = RowOf<
  Omit<Payment, 'isKeysend' | 'customRecords' | 'charge' | 'isAtNode' | 'isImported' | 'isPendingReported'>
> & {
  readonly isKeysend: number;
  readonly customRecords: string | null;
  readonly budgetLineageId: string | null;
  readonly budgetPeriodStart: number | null;
  readonly budgetReservedMsat: Msat | null;
  readonly atNode: number;
  readonly isImported: number;
  readonly pendingReported: number;
};

export function rowToPayment(row: PaymentRow): Payment {
  const { budgetLineageId, budgetPeriodStart, budgetReservedMsat, atNode, pendingReported, ...fields } = row;
  const hasCharge = budgetLineageId !== null && budgetPeriodStart !== null && budgetReservedMsat !== null;
  return {
    ...withoutNulls(fields),
    isKeysend: row.isKeysend === 1,
    customRecords: row.customRecords === null ? undefined : (JSON.parse(row.customRecords) as CustomRecords),
    charge: hasCharge ? { lineageId: budgetLineageId, periodStart: budgetPeriodStart, pendingMsat: budgetReservedMsat } : undefined,
    isAtNode: atNode === 1,
    isImported: row.isImported === 1,
    isPendingReported: pendingReported === 1,
  };
}

/** Returns the payment that a statement selects. */
export async function readPayment(
  database: SqlReader,
  statement: Statement<PaymentRow>,
  ...parameters: string[]
): Promise<Payment | undefined> {
  const row = await database.first(statement, ...parameters);
  return row && rowToPayment(row);
}

/** Returns what a wallet has paid on top of the amount: the routing fee and the fee of the service. 0 until the payment succeeds. */
export function paidFeeMsat({ state, feeMsat = ZERO_MSAT, serviceFeeMsat = ZERO_MSAT }: Payment): Msat {
  return state === 'succeeded' ? msat(feeMsat + serviceFeeMsat) : ZERO_MSAT;
}

/** Returns what the fee of a payment is charged for. */
export function feeDirectionOf({ linkId, invoiceId }: Pick<Payment, 'linkId' | 'invoiceId'>): FeeDirection {
  if (linkId !== undefined) return 'link';
  return invoiceId === undefined ? 'ln_out' : 'internal';
}

/** Returns the owners in whose limits a payment counts. */
export function limitOwnersOf({ limitOwners }: Payment): readonly string[] {
  return splitIds(limitOwners ?? '');
}

/** Returns the part of a hold that is for routing fees: what it has beyond the amount and the fee of the service. */
export function routingReserve({ amountMsat, serviceFeeMsat = ZERO_MSAT }: Payment, heldMsat: Msat): Msat {
  return subMsat(subMsat(heldMsat, amountMsat), serviceFeeMsat);
}

/** Returns what identifies the payment at the node. */
export function referenceOf({ id, paymentHash, unclearSinceMs, unclearCheckedMs, isImported }: Payment): PaymentReference {
  return { paymentId: id, paymentHash, unclearSinceMs, unclearCheckedAtMs: unclearCheckedMs, ...(isImported && { isForeign: true }) };
}

/** Returns the parameters of {@link sql.insertPending}, which are the first ones of {@link sql.insertPaid}. */
export function newParameters(payment: Payment): SqlValue[] {
  const { charge, customRecords, isKeysend } = payment;
  const row: Readonly<Record<string, unknown>> = {
    ...payment,
    isKeysend: isKeysend ? 1 : 0,
    customRecords: customRecords && JSON.stringify(customRecords),
    budgetLineageId: charge?.lineageId,
    budgetPeriodStart: charge?.periodStart,
    budgetReservedMsat: charge?.pendingMsat,
  };
  return sql.NEW_FIELDS.map((name) => (row[name] ?? null) as SqlValue);
}
