import { readData, readFlag, readHash, readInteger, readText, readTime, selectList } from '../columns.ts';
import { type SourceHistoryRow, UnusableSource } from '../source.ts';
import type { SourceDatabase, SourceRow } from '../source-database.ts';
import type { PaymentColumns } from './payment-columns.ts';

/** Reads all payments and invoices, by wallet and from old to new. */
export async function* readHistory(database: SourceDatabase, columns: PaymentColumns): AsyncIterable<SourceHistoryRow> {
  const { checkingId, walletId, paymentHash, amount, isSuccess, isPending, isFailed } = columns;
  // Only the payer's row of an internal payment has the prefix; that of the receiver has the same payment hash.
  const twin = `EXISTS (SELECT 1 FROM apipayments t WHERE t.${paymentHash} = p.${paymentHash} AND t.${amount} < 0
    AND t.${checkingId} LIKE 'internal!_%' ESCAPE '!' AND NOT (${isFailed('t')}))`;
  const selected = {
    id: checkingId,
    walletId,
    paymentHash,
    amount,
    fee: columns.fee,
    memo: columns.memo,
    bolt11: columns.bolt11,
    preimage: columns.preimage,
    expiry: columns.expiry,
    time: columns.time,
    updatedAt: columns.updatedAt,
    extra: columns.extra,
    tag: columns.tag,
    extension: columns.extension,
    labels: columns.labels,
    externalId: columns.externalId,
    fiatProvider: columns.fiatProvider,
    isSuccess: `CASE WHEN ${isSuccess} THEN 1 ELSE 0 END`,
    isPending: `CASE WHEN ${isPending} THEN 1 ELSE 0 END`,
    isFailed: `CASE WHEN ${isFailed()} THEN 1 ELSE 0 END`,
    hasTwin: paymentHash === 'NULL' ? '0' : `CASE WHEN ${amount} > 0 AND ${twin} THEN 1 ELSE 0 END`,
  };
  const sql = `SELECT ${selectList(selected)} FROM apipayments p ORDER BY ${database.bytewise(walletId)}, ${columns.time}, ${database.bytewise(checkingId)}`;
  for await (const row of database.rows(sql)) yield rowOfHistory(row);
}

function rowOfHistory(row: SourceRow): SourceHistoryRow {
  const checkingId = readText(row, 'id') ?? '';
  const walletId = readText(row, 'walletId') ?? '';
  const where = `payment ${checkingId} of wallet ${walletId}`;
  const amountMsat = readInteger(row, 'amount', where);
  const createdAt = readTime(row, 'time', where) ?? 0;
  const state = stateOf(row, amountMsat, where);
  const isInternal = checkingId.startsWith('internal_') || readFlag(row, 'hasTwin');
  const isFiat = checkingId.startsWith('fiat_') || readText(row, 'fiatProvider') !== undefined;
  const data = readData(row, ['tag', 'extension', 'labels', 'externalId', 'fiatProvider', 'extra']);
  return {
    // `checking_id` is unique in a wallet only.
    id: `${walletId}/${checkingId}`,
    walletId,
    state,
    kind: isFiat ? 'other' : isInternal ? 'internal' : 'lightning',
    amountMsat,
    // Its sign differs between versions.
    feeMsat: Math.abs(readInteger(row, 'fee', where)),
    memo: readText(row, 'memo') ?? '',
    createdAt,
    settledAt: state === 'settled' ? (readTime(row, 'updatedAt', where) ?? createdAt) : undefined,
    expiresAt: readTime(row, 'expiry', where),
    paymentHash: readHash(row, 'paymentHash'),
    preimage: readHash(row, 'preimage'),
    paymentRequest: readText(row, 'bolt11'),
    ...(Object.keys(data).length > 0 && { data }),
  };
}

function stateOf(row: SourceRow, amountMsat: number, where: string): SourceHistoryRow['state'] {
  if (readFlag(row, 'isSuccess')) return 'settled';
  if (readFlag(row, 'isFailed')) return 'failed';
  if (readFlag(row, 'isPending')) return amountMsat < 0 ? 'pending' : 'open';
  throw new UnusableSource(`${where}: status must be pending, success or failed.`);
}
