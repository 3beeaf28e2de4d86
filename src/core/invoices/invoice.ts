import type { SqlReader, SqlValue } from '../db/database.ts';
import { type RowOf, withoutNulls } from '../db/fields.ts';
import type { Msat } from '../kernel/money.ts';
import type { CustomRecords } from '../lightning/node.ts';
import * as sql from './invoices.sql.ts';

export { INVOICE_FIELDS } from './invoices.sql.ts';

/** An invoice of a wallet, or a keysend that arrived for it. Times are Unix seconds; hashes and keys are hex. */
export interface Invoice {
  /** `lntx_…` */
  readonly id: string;
  readonly walletId: string;
  readonly ledgerAccount: number;
  readonly nodeId: string;
  readonly destPubkey: string;
  /** The type of the wallet transaction: `ln_deposit` or `ln_lnurl_pay_inbound`. */
  readonly wtxType: string;
  /**
   * `held`: a payment of a hold invoice waits for the wallet's decision. `arriving`: the node has reported a payment that is not final yet.
   * `failed`: it never arrived.
   */
  readonly state: 'open' | 'closing' | 'held' | 'arriving' | 'settled' | 'failed' | 'canceled';
  readonly paymentHash: string;
  readonly paymentRequest: string;
  /** Undefined: any amount. */
  readonly amountMsat?: Msat | undefined;
  /** What arrived, or, until it is settled, what the node has reported. */
  readonly receivedMsat?: Msat | undefined;
  readonly memo: string;
  readonly descriptionHash?: string | undefined;
  readonly expirySeconds: number;
  readonly expiresAt?: number | undefined;
  readonly createdAt: number;
  readonly settledAt?: number | undefined;
  /** Must not be shown before the invoice is settled. */
  readonly preimage?: string | undefined;
  readonly isKeysend: boolean;
  readonly customRecords?: CustomRecords | undefined;
  /** JSON text from the request. */
  readonly passThru?: string | undefined;
  /** The wallet chose the payment hash, and settles or cancels the payment after it has arrived. */
  readonly isHold?: boolean | undefined;
  /** The key of the status token of a hold invoice, 32 bytes in hex. */
  readonly statusKey?: string | undefined;
  /** The amount of the payment that is or was held, since when, and when the service cancels it. */
  readonly heldMsat?: Msat | undefined;
  readonly heldAt?: number | undefined;
  readonly heldUntil?: number | undefined;
  /** The payment of another wallet whose money is held. Absent: the node holds a payment from outside. */
  readonly heldPaymentId?: string | undefined;
  /** What is to become of the held payment. `expire`: the service cancels it. It never changes. */
  readonly decision?: 'settle' | 'cancel' | 'expire' | undefined;
  /** JSON text of a `FiatAmount`, if the amount was requested in a currency. */
  readonly fiat?: string | undefined;
}

export type InvoiceRow = RowOf<Omit<Invoice, 'isKeysend' | 'customRecords' | 'isHold'>> & {
  readonly isKeysend: number;
  readonly isHold: number;
  readonly customRecords: string | null;
};

export function rowToInvoice(row: InvoiceRow): Invoice {
  const customRecords = row.customRecords === null ? undefined : (JSON.parse(row.customRecords) as CustomRecords);
  return { ...withoutNulls(row), isKeysend: row.isKeysend === 1, isHold: row.isHold === 1, customRecords };
}

export async function findInvoice(database: SqlReader, id: string): Promise<Invoice | undefined> {
  const row = await database.first(sql.findById, id);
  return row && rowToInvoice(row);
}

export async function findInvoiceByHash(database: SqlReader, paymentHash: string): Promise<Invoice | undefined> {
  const row = await database.first(sql.findByHash, paymentHash);
  return row && rowToInvoice(row);
}

/** Returns the parameters of {@link sql.insertOpen}. */
export function openInvoiceParameters(invoice: Invoice, maxOpenInvoices: number): SqlValue[] {
  return [
    invoice.id,
    invoice.walletId,
    invoice.ledgerAccount,
    invoice.nodeId,
    invoice.destPubkey,
    invoice.wtxType,
    invoice.paymentHash,
    invoice.paymentRequest,
    invoice.amountMsat ?? null,
    invoice.memo,
    invoice.descriptionHash ?? null,
    invoice.expirySeconds,
    invoice.expiresAt ?? null,
    invoice.createdAt,
    invoice.preimage ?? null,
    invoice.passThru ?? null,
    maxOpenInvoices,
    invoice.isHold ? 1 : 0,
    invoice.statusKey ?? null,
    invoice.fiat ?? null,
  ];
}
