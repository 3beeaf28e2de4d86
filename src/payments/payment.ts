import type { Charge } from '../budgets/budgets.ts';
import { type Msat, msat } from '../kernel/money.ts';
import type { CustomRecords, FailureReason } from '../lightning/node.ts';
import type { PaymentRow } from './payments.sql.ts';

/**
 * Money on its way out of a wallet, or gone. A payment is one attempt: its id is what the node gets and its hold has the same id.
 * Times are Unix seconds, hashes and keys hex.
 */
export interface Payment {
  /** `lntx_…` */
  readonly id: string;
  readonly walletId: string;
  readonly ledgerAccount: number;
  readonly nodeId: string;
  /** The ledger transfer that will move the amount; chosen at the hold, so that the wallet transaction has its id from the start. */
  readonly transferId: string;
  readonly wtxType: WithdrawalType;
  readonly state: 'pending' | 'succeeded' | 'failed';
  readonly failureReason: FailureReason | undefined;
  readonly paymentHash: string;
  readonly paymentRequest: string;
  readonly destPubkey: string;
  readonly amountMsat: Msat;
  readonly feeMsat: Msat | undefined;
  readonly userLabel: string;
  readonly memo: string;
  readonly descriptionHash: string | undefined;
  readonly expirySeconds: number;
  readonly expiresAt: number | undefined;
  readonly createdAt: number;
  readonly settledAt: number | undefined;
  /** A keysend chooses its own; shown only once the payment has succeeded. */
  readonly preimage: string | undefined;
  readonly isKeysend: boolean;
  readonly customRecords: CustomRecords | undefined;
  /** JSON text. */
  readonly passThru: string | undefined;
  /** The invoice of this service that the payment settles inside, without the network. */
  readonly invoiceId: string | undefined;
  /** The withdraw link it was claimed with. */
  readonly linkId: string | undefined;
  /** What it counts for against the budget of the key that asked for it. */
  readonly charge?: Charge | undefined;
  /** How it was booked again, when the node had reported as failed what then succeeded. */
  readonly correction?: 'charged' | 'borne' | undefined;
  /** The node is known to have had it, so it is looked up and never sent again. */
  readonly isAtNode?: boolean | undefined;
}

/** What the wallet's list calls money that leaves. */
export type WithdrawalType = 'ln_withdrawal' | 'ln_lnurl_withdraw' | 'ln_lnurl_pay_outbound';

export function rowToPayment(row: PaymentRow): Payment {
  return {
    id: row.id,
    walletId: row.wallet_id,
    ledgerAccount: row.ledger_account,
    nodeId: row.node_id,
    transferId: row.transfer_id,
    wtxType: row.wtx_type as WithdrawalType,
    state: row.state,
    failureReason: row.failure_reason ?? undefined,
    paymentHash: row.payment_hash,
    paymentRequest: row.payment_request,
    destPubkey: row.dest_pubkey,
    amountMsat: msat(row.amount_msat),
    feeMsat: row.fee_msat === null ? undefined : msat(row.fee_msat),
    userLabel: row.user_label,
    memo: row.memo,
    descriptionHash: row.description_hash ?? undefined,
    expirySeconds: row.expiry_seconds,
    expiresAt: row.expires_at ?? undefined,
    createdAt: row.created_at,
    settledAt: row.settled_at ?? undefined,
    preimage: row.preimage ?? undefined,
    isKeysend: row.is_keysend === 1,
    customRecords: row.custom_records === null ? undefined : (JSON.parse(row.custom_records) as CustomRecords),
    passThru: row.pass_thru ?? undefined,
    invoiceId: row.invoice_id ?? undefined,
    linkId: row.link_id ?? undefined,
    charge: rowToCharge(row),
    correction: row.correction ?? undefined,
    isAtNode: row.at_node === 1,
  };
}

function rowToCharge({ charged_line: lineId, charged_period: periodStart, charged_msat: pendingMsat }: PaymentRow): Charge | undefined {
  if (lineId === null || periodStart === null || pendingMsat === null) return undefined;
  return { lineId, periodStart, pendingMsat: msat(pendingMsat) };
}

/** The insert parameters of a new, pending payment, in the order of `payments.sql.ts`. */
export function pendingParameters(p: Payment) {
  return [
    p.id,
    p.walletId,
    p.ledgerAccount,
    p.nodeId,
    p.transferId,
    p.wtxType,
    p.paymentHash,
    p.paymentRequest,
    p.destPubkey,
    p.amountMsat,
    p.userLabel,
    p.memo,
    p.descriptionHash ?? null,
    p.expirySeconds,
    p.expiresAt ?? null,
    p.createdAt,
    p.preimage ?? null,
    p.isKeysend ? 1 : 0,
    p.customRecords ? JSON.stringify(p.customRecords) : null,
    p.passThru ?? null,
    p.invoiceId ?? null,
    p.linkId ?? null,
    p.charge?.lineId ?? null,
    p.charge?.periodStart ?? null,
    p.charge?.pendingMsat ?? null,
  ];
}
