import { api, type Event, type Wallet } from '../../api/client.ts';
import { type Resource, useResource } from '../../api/resource.ts';

/** Returns whether an event may have changed the wallet or its transactions. */
export function concernsWallet({ data }: Event, id: string): boolean {
  return data.wtx?.wal?.id === id || data.wal?.id === id;
}

/** A wallet with its present balance. */
export function useWallet(id: string): Resource<Wallet> {
  return useResource(`wallet ${id}`, (signal) => api.wallets.get(id, {}, { signal }), {
    isAffected: (event) => concernsWallet(event, id),
  });
}

/** The number of payments that have not ended. Only read while money is held. */
export function usePendingCount(wallet: Wallet | undefined): number | undefined {
  const id = wallet?.id;
  const hasHold = wallet !== undefined && wallet.pending_msat > 0;
  const count = useResource(
    id !== undefined && hasHold ? `wallet ${id} pending` : undefined,
    async (signal) => {
      let total = '';
      const request = { status: 'pending', 'per-page': 1, fields: 'id' } as const;
      await api.wallets.listTransactions(id ?? '', request, {
        signal,
        onResponse: ({ headers }) => {
          total = headers.get('x-pagination-total-count') ?? '';
        },
      });
      return Number(total);
    },
    { isAffected: (event) => concernsWallet(event, id ?? '') },
  );
  return hasHold ? count.data : undefined;
}
