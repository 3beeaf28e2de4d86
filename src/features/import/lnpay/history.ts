import { jsonOrText, readHash, readInteger, readText, readTime } from '../columns.ts';
import { type SourceHistoryRow, UnusableSource } from '../source.ts';
import type { SourceDatabase, SourceRow } from '../source-database.ts';

/** An invoice `t` that was not paid. Only its JSON names the wallet. */
export const OPEN_INVOICE = "t.settled = 0 AND json_extract(t.json_data, '$.wallet_id') IS NOT NULL";

/** A payment that arrives this long after the end of an invoice is not expected any more. Ages are relative to the newest row of the dump. */
const LATE_SECONDS = 7 * 86_400;

/**
 * Reads the transactions of all wallets and the invoices that were not paid, by wallet and from old to new. Fees are rows of their own, and a row
 * `balance_roll_up` replaces older ones that were deleted.
 */
export async function* readHistory(database: SourceDatabase): AsyncIterable<SourceHistoryRow> {
  const LIGHTNING = `lower(n.r_hash_decoded) AS hash, n.payment_preimage AS preimage, n.payment_request AS request, n.memo, n.description_hash,
    n.settled_at, n.expires_at, n.fee_msat, n.is_keysend, n.custom_records, n.external_hash AS lightning_id`;
  const transactions = `SELECT w.external_hash AS wallet, x.external_hash AS id, y.name AS type, x.num_satoshis AS sat, x.user_label AS label,
      x.created_at AS time, 0 AS is_invoice, 0 AS is_over, x.json_data AS json, x.id AS number, ${LIGHTNING}
    FROM wallet_transaction x JOIN wallet w ON w.id = x.wallet_id
      LEFT JOIN wallet_transaction_type y ON y.id = x.wtx_type_id LEFT JOIN ln_tx n ON n.id = x.ln_tx_id`;
  const invoices = `SELECT json_extract(t.json_data, '$.wallet_id'), t.external_hash, 'ln_deposit', t.num_satoshis, NULL, t.created_at, 1,
      coalesce(t.expires_at, t.created_at) < (SELECT max(created_at) FROM ln_tx) - ${LATE_SECONDS}, NULL, t.id, ${LIGHTNING.replaceAll('n.', 't.')}
    FROM ln_tx t WHERE ${OPEN_INVOICE} AND t.id NOT IN (SELECT ln_tx_id FROM wallet_transaction WHERE ln_tx_id IS NOT NULL)`;
  const hasInvoices = (await database.columns('ln_tx')).size > 0;
  if ((await database.columns('wallet_transaction')).size === 0) return;
  if (!hasInvoices)
    throw new UnusableSource('The dump has transactions and no rows of the table ln_tx. Make a dump of the whole database.');
  const sql = `SELECT * FROM (${transactions} UNION ALL ${invoices}) ORDER BY ${database.bytewise('wallet')}, time, is_invoice, number`;
  for await (const row of database.rows(sql)) yield rowOfHistory(row);
}

const INTERNAL: ReadonlySet<string> = new Set(['ln_transfer_in', 'ln_transfer_out']);

function rowOfHistory(row: SourceRow): SourceHistoryRow {
  const id = readText(row, 'id') ?? '';
  const where = `transaction ${id}`;
  const type = readText(row, 'type');
  const isInvoice = row.is_invoice === 1;
  const hasPayment = readText(row, 'hash') !== undefined;
  const amountMsat = readInteger(row, 'sat', where) * 1000;
  if (isInvoice && amountMsat < 0) throw new UnusableSource(`${where}: num_satoshis of an invoice must not be negative.`);
  return {
    id,
    walletId: readText(row, 'wallet') ?? '',
    state: isInvoice ? (row.is_over === 1 ? 'failed' : 'open') : 'settled',
    kind: INTERNAL.has(type ?? '') ? 'internal' : hasPayment ? 'lightning' : 'other',
    amountMsat,
    // Rows of their own.
    feeMsat: 0,
    memo: readText(row, 'label') ?? readText(row, 'memo') ?? '',
    createdAt: readTime(row, 'time', where) ?? 0,
    settledAt: isInvoice ? undefined : (readTime(row, 'settled_at', where) ?? readTime(row, 'time', where)),
    expiresAt: readTime(row, 'expires_at', where),
    paymentHash: readHash(row, 'hash'),
    preimage: readHash(row, 'preimage'),
    paymentRequest: readText(row, 'request'),
    data: {
      ...(type !== undefined && { type }),
      ...named('passThru', parsed(readText(row, 'json'))),
      ...named('lntx', readText(row, 'lightning_id')),
      ...named('descriptionHash', readText(row, 'description_hash')),
      ...(row.is_keysend === 1 && { keysend: true }),
      ...named('customRecords', parsed(readText(row, 'custom_records'))),
    },
  };
}

function named(name: string, value: unknown): Record<string, unknown> {
  return value === undefined ? {} : { [name]: value };
}

/** Returns the value of JSON text, which MySQL has checked; undefined for an empty list. */
function parsed(text: string | undefined): unknown {
  return text === undefined || text === '[]' ? undefined : jsonOrText(text);
}
