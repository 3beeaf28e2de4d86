import { useLayoutEffect, useReducer, useRef } from 'preact/hooks';
import { api, type Event, type RequestOptions, type WalletTransaction } from '../../api/client.ts';
import { type ListPage, readListPage } from '../../api/list.ts';
import { type Resource, useResource } from '../../api/resource.ts';
import { useSlowResource } from '../../api/slow-resource.ts';
import { type Filters, isNarrowed, requestOf } from './filters.ts';
import { type HeldList, holdList } from './rows.ts';
import { concernsWallet } from './use-wallet.ts';

/** The most transactions of a page. */
export const PER_PAGE = 50;
const COUNT_INTERVAL_MS = 10_000;

/** Whose transactions a list contains: those of a wallet, or those of all wallets of the account (of one of them if `accountWallet` is not empty). */
export type TransactionOwner = { readonly walletId: string } | { readonly accountWallet: string };

/** A page of transactions, newest first. `after`: only those that follow this one in the list. */
export function useTransactions(
  owner: TransactionOwner,
  filters: Filters,
  after: string | undefined,
): Resource<ListPage<WalletTransaction>> {
  const filter = requestOf(filters);
  // Counting with filters reads the transactions, so the count of such a list is a request of its own.
  const request = { ...filter, ...(after && { after }), 'per-page': PER_PAGE, ...(!isRead(filters) && { count: 1 }) };
  return useResource(
    `transactions ${JSON.stringify(owner)} ${JSON.stringify(request)}`,
    (signal) => readListPage((options) => listTransactions(owner, request, options), signal),
    { isAffected: (event) => concerns(event, owner) },
  );
}

/** The number of transactions with the filters, which is read again at most every ten seconds. */
export function useTransactionCount(
  owner: TransactionOwner,
  filters: Filters,
  page: ListPage<unknown> | undefined,
): Pick<ListPage<unknown>, 'total' | 'isCapped'> | undefined {
  const request = { ...requestOf(filters), 'per-page': 1, count: 1 };
  const isNeeded = isRead(filters);
  const count = useSlowResource(
    isNeeded ? `transaction count ${JSON.stringify(owner)} ${JSON.stringify(request)}` : undefined,
    (signal) => readListPage((options) => listTransactions(owner, request, options), signal),
    { isAffected: (event) => concerns(event, owner), intervalMs: COUNT_INTERVAL_MS },
  );
  return isNeeded ? count.data : page;
}

/** Returns whether the number of transactions with the filters is only known by reading them. Open invoices are not transactions yet. */
function isRead(filters: Filters): boolean {
  return filters.status === 'open' || isNarrowed(filters);
}

function listTransactions(owner: TransactionOwner, request: object, options: RequestOptions) {
  if ('walletId' in owner) return api.wallets.listTransactions(owner.walletId, request, options);
  return api.transactions.list({ ...request, ...(owner.accountWallet !== '' && { wallet_id: owner.accountWallet }) }, options);
}

function concerns(event: Event, owner: TransactionOwner): boolean {
  const id = 'walletId' in owner ? owner.walletId : owner.accountWallet;
  return id === '' ? event.data.wtx !== undefined || event.data.wal !== undefined : concernsWallet(event, id);
}

/** Keeps the rows in place while `isHeld`: new ones are only counted until `release` is called or nothing holds the list any longer. */
export function useHeldList(present: readonly WalletTransaction[], isHeld: boolean): HeldList & { release: () => void } {
  const shown = useRef(present);
  const [, rerender] = useReducer((count: number) => count + 1, 0);
  const list = isHeld ? holdList(shown.current, present, PER_PAGE) : { shown: present, newCount: 0 };
  useLayoutEffect(() => {
    shown.current = list.shown;
  });
  return {
    ...list,
    release() {
      shown.current = present;
      rerender(undefined);
    },
  };
}
