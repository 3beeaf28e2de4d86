import type { SqlReader } from '../db/database.ts';
import { type Msat, msat } from '../kernel/money.ts';
import type { CustomRecords } from '../lightning/node.ts';
import * as sql from './invoices.sql.ts';

export { INVOICE_COLUMNS, type InvoiceRow } from './invoices.sql.ts';

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
  readonly state: 'open' | 'closing' | 'settled' | 'canceled';
  readonly paymentHash: string;
  readonly paymentRequest: string;
  /** Undefined: any amount. */
  readonly amountMsat: Msat | undefined;
  readonly receivedMsat: Msat | undefined;
  readonly memo: string;
  readonly descriptionHash: string | undefined;
  readonly expirySeconds: number;
  readonly expiresAt: number | undefined;
  readonly createdAt: number;
  readonly settledAt: number | undefined;
  /** Must not be shown before the invoice is settled. */
  readonly preimage: string | undefined;
  readonly isKeysend: boolean;
  readonly customRecords: CustomRecords | undefined;
  /** JSON text from the request. */
  readonly passThru: string | undefined;
}

export function rowToInvoice(row: sql.InvoiceRow): Invoice {
  return {
    id: row.id,
    walletId: row.wallet_id,
    ledgerAccount: row.ledger_account,
    nodeId: row.node_id,
    destPubkey: row.dest_pubkey,
    wtxType: row.wtx_type,
    state: row.state,
    paymentHash: row.payment_hash,
    paymentRequest: row.payment_request,
    amountMsat: row.amount_msat === null ? undefined : msat(row.amount_msat),
    receivedMsat: row.received_msat === null ? undefined : msat(row.received_msat),
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
  };
}

export async function findInvoice(database: SqlReader, id: string): Promise<Invoice | undefined> {
  const row = await database.first(sql.findById, id);
  return row && rowToInvoice(row);
}

export async function findInvoiceByHash(database: SqlReader, paymentHash: string): Promise<Invoice | undefined> {
  const row = await database.first(sql.findByHash, paymentHash);
  return row && rowToInvoice(row);
}
