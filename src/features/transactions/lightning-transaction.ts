import type { Invoice } from '../../core/invoices/invoice.ts';
import type { Msat } from '../../core/kernel/money.ts';
import type { CustomRecords, FailureReason } from '../../core/lightning/node.ts';
import type { Payment } from '../../core/payments/payment.ts';

/** The Lightning side of a wallet transaction, incoming or outgoing: the API's `lnTx`. Times are Unix seconds. */
export interface LightningTransaction {
  readonly id: string;
  readonly walletId: string;
  readonly createdAt: number;
  readonly nodeId: string;
  readonly destPubkey: string;
  readonly paymentRequest: string;
  readonly paymentHash: string;
  readonly memo: string;
  readonly descriptionHash: string | undefined;
  /** The requested amount, or the received amount once paid; 0 for an open invoice without an amount. */
  readonly amountMsat: Msat;
  readonly feeMsat: Msat | undefined;
  readonly expirySeconds: number;
  readonly expiresAt: number | undefined;
  readonly preimage: string | undefined;
  readonly status: 'pending' | 'settled' | 'failed' | 'expired' | 'cancelled';
  readonly failureReason: FailureReason | undefined;
  readonly settledAt: number | undefined;
  readonly isKeysend: boolean;
  readonly customRecords: CustomRecords | undefined;
  readonly passThru: string | undefined;
  /** JSON text: what the payee of an LNURL shows once it is settled. */
  readonly successAction: string | undefined;
  /** The withdraw link that a payment claims. */
  readonly withdrawLinkId: string | undefined;
}

/** bLIP 3: the record of a keysend that carries its preimage. */
const KEYSEND_PREIMAGE_RECORD = '5482373484';

export function ofInvoice(invoice: Invoice, nowSeconds: number): LightningTransaction {
  const settled = invoice.state === 'settled';
  return withShared(invoice, {
    amountMsat: invoice.receivedMsat ?? invoice.amountMsat ?? (0 as Msat),
    feeMsat: undefined,
    preimage: settled ? invoice.preimage : undefined,
    status: invoiceStatus(invoice, nowSeconds),
    failureReason: undefined,
    customRecords: invoice.customRecords,
    passThru: invoice.passThru,
    successAction: undefined,
    withdrawLinkId: undefined,
  });
}

function invoiceStatus(invoice: Invoice, nowSeconds: number): LightningTransaction['status'] {
  if (invoice.state === 'settled') return 'settled';
  if (invoice.state === 'canceled') return 'cancelled';
  return invoice.state === 'open' && (invoice.expiresAt ?? 0) <= nowSeconds ? 'expired' : 'pending';
}

export function ofPayment(payment: Payment): LightningTransaction {
  const succeeded = payment.state === 'succeeded';
  const preimage = succeeded ? payment.preimage : undefined;
  const proof = payment.isKeysend && preimage !== undefined ? { [KEYSEND_PREIMAGE_RECORD]: preimage } : {};
  return withShared(payment, {
    amountMsat: payment.amountMsat,
    feeMsat: payment.feeMsat,
    preimage,
    status: succeeded ? 'settled' : payment.state === 'failed' ? 'failed' : 'pending',
    failureReason: payment.failureReason,
    customRecords: payment.isKeysend ? { ...payment.customRecords, ...proof } : undefined,
    passThru: passThruOf(payment),
    successAction: succeeded ? payment.successAction : undefined,
    withdrawLinkId: payment.linkId,
  });
}

/** Returns the caller's `passThru` of a payment; published clients read `method` from that of a withdrawal without one. */
export function passThruOf({ passThru, wtxType }: { passThru?: string | undefined; wtxType: string }): string | undefined {
  return passThru ?? (wtxType === 'ln_withdrawal' ? BY_API : undefined);
}

const BY_API = JSON.stringify({ method: 'api' });

/** The fields that invoices and payments store differently. */
type Own = Pick<
  LightningTransaction,
  'amountMsat' | 'feeMsat' | 'preimage' | 'status' | 'failureReason' | 'customRecords' | 'passThru' | 'successAction' | 'withdrawLinkId'
>;

/** Builds the object in one literal, because object spread made the shortest reads measurably slower. */
function withShared(of: Invoice | Payment, own: Own): LightningTransaction {
  return {
    id: of.id,
    walletId: of.walletId,
    createdAt: of.createdAt,
    nodeId: of.nodeId,
    destPubkey: of.destPubkey,
    paymentRequest: of.paymentRequest,
    paymentHash: of.paymentHash,
    memo: of.memo,
    descriptionHash: of.descriptionHash,
    amountMsat: own.amountMsat,
    feeMsat: own.feeMsat,
    expirySeconds: of.expirySeconds,
    expiresAt: of.expiresAt,
    preimage: own.preimage,
    status: own.status,
    failureReason: own.failureReason,
    settledAt: of.settledAt,
    isKeysend: of.isKeysend,
    customRecords: own.customRecords,
    passThru: own.passThru,
    successAction: own.successAction,
    withdrawLinkId: own.withdrawLinkId,
  };
}
