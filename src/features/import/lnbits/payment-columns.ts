import { detectColumns } from '../columns.ts';
import type { SourceDatabase } from '../source-database.ts';

/** The SQL of the columns of `apipayments`, and of conditions on its rows, for the version of the source. */
export type PaymentColumns = Awaited<ReturnType<typeof paymentColumns>>;

/**
 * Finds the columns. Migration 21 of LNbits added `status`, 23 renamed `hash` and `wallet`, 24 dropped `pending`, 25 redefined the view of
 * balances, 26 added `tag` and `extension`, 33 `fiat_provider`, 38 `labels`, 45 `external_id`.
 */
export async function paymentColumns(database: SourceDatabase) {
  const columns = await detectColumns(database, 'apipayments', {
    checkingId: { names: ['checking_id', 'payhash'] },
    walletId: { names: ['wallet_id', 'wallet'] },
    paymentHash: { names: ['payment_hash', 'hash'], isOptional: true },
    amount: { names: ['amount'] },
    fee: { names: ['fee'] },
    status: { names: ['status'], isOptional: true },
    pending: { names: ['pending'], isOptional: true },
    bolt11: { names: ['bolt11'], isOptional: true },
    preimage: { names: ['preimage'], isOptional: true },
    memo: { names: ['memo'], isOptional: true },
    expiry: { names: ['expiry'], isOptional: true },
    time: { names: ['time'] },
    updatedAt: { names: ['updated_at'], isOptional: true },
    extra: { names: ['extra'], isOptional: true },
    tag: { names: ['tag'], isOptional: true },
    extension: { names: ['extension'], isOptional: true },
    labels: { names: ['labels'], isOptional: true },
    externalId: { names: ['external_id'], isOptional: true },
    fiatProvider: { names: ['fiat_provider'], isOptional: true },
  });
  if (columns.status === 'NULL' && columns.pending === 'NULL')
    await detectColumns(database, 'apipayments', { status: { names: ['status', 'pending'] } });
  const hasStatus = columns.status !== 'NULL';
  const of = (alias: string, column: string) => (alias === '' ? column : `${alias}.${column}`);
  return {
    ...columns,
    isSuccess: hasStatus ? `${columns.status} = 'success'` : `NOT ${columns.pending}`,
    isPending: hasStatus ? `${columns.status} = 'pending'` : columns.pending,
    // Before `status`, failed payments were deleted.
    isFailed: (alias = '') => (hasStatus ? `${of(alias, columns.status)} = 'failed'` : 'false'),
    /** The balances as LNbits counts them: a pending payment has taken its money. */
    balance: `sum(${columns.amount} - abs(${columns.fee}))`,
  };
}
