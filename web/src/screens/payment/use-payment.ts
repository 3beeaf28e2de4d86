import { api, type LightningTransactionDetails, type WalletTransaction } from '../../api/client.ts';
import { type Resource, useResource } from '../../api/resource.ts';
import { sideOf } from './payment-steps.ts';

export interface PaymentData {
  readonly lntx: LightningTransactionDetails;
  /** The wallet's side; undefined for an invoice that was never paid and is no longer open. */
  readonly transaction: WalletTransaction | undefined;
}

/** A payment or an invoice with its wallet, kept up to date by events. */
export function usePayment(id: string): Resource<PaymentData> {
  return useResource(`payment ${id}`, (signal) => readPayment(id, signal), {
    isAffected: ({ data }) => (data.lnTx ?? data.wtx?.lnTx)?.id === id,
  });
}

async function readPayment(id: string, signal: AbortSignal): Promise<PaymentData> {
  const lntx = await api.lightningTransactions.get(id, {}, { signal });
  for (const status of ['all', 'open'] as const) {
    const transaction = sideOf(await api.transactions.list({ payment_hash: lntx.r_hash_decoded, status }, { signal }), lntx.id);
    if (transaction) return { lntx, transaction };
  }
  return { lntx, transaction: undefined };
}
