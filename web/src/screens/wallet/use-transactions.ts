import { useLayoutEffect, useReducer, useRef } from 'preact/hooks';
import { api, type WalletTransaction } from '../../api/client.ts';
import { type Resource, useResource } from '../../api/resource.ts';
import { type Filters, requestOf } from './filters.ts';
import { type HeldList, holdList } from './rows.ts';
import { concernsWallet } from './use-wallet.ts';

const PER_PAGE = 50;

export interface TransactionPage {
  readonly items: readonly WalletTransaction[];
  /** The cursor of the older transactions; undefined at the end of the list. */
  readonly next: string | undefined;
}

/** A page of a wallet's transactions, newest first. `after`: only those that follow this one in the list. */
export function useTransactions(walletId: string, filters: Filters, after: string | undefined): Resource<TransactionPage> {
  const request = { ...requestOf(filters), ...(after && { after }), 'per-page': PER_PAGE };
  return useResource(
    `transactions ${walletId} ${JSON.stringify(request)}`,
    async (signal) => {
      let links = '';
      const onResponse = ({ headers }: Response) => {
        links = headers.get('link') ?? '';
      };
      const items = await api.wallets.listTransactions(walletId, request, { signal, onResponse });
      // A search may end before it has found anything; it continues behind the last transaction that it has looked at.
      return { items, next: nextOf(links) ?? (links.includes('rel="next"') ? items.at(-1)?.id : undefined) };
    },
    { isAffected: (event) => concernsWallet(event, walletId) },
  );
}

/** Returns the cursor in the link to the next page; undefined if the link has a page number, or there is none. */
function nextOf(links: string): string | undefined {
  const link = /<\?([^>]*)>; rel="next"/.exec(links)?.[1];
  return link === undefined ? undefined : (new URLSearchParams(link).get('after') ?? undefined);
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
