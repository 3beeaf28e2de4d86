import { api, type SearchResult } from '../api/client.ts';
import { useResource } from '../api/resource.ts';
import { useSession } from '../api/session.tsx';
import type { IconName } from '../parts/icon.tsx';
import { useTypedText } from '../parts/use-typed.ts';

const MAX_FOUND = 20;

export const OBJECT_ICONS: Readonly<Record<string, IconName>> = {
  account: 'users',
  wallet: 'wallet',
  pay_link: 'address',
  withdraw_link: 'ticket',
  key: 'key',
  lightning_transaction: 'lightning',
  wallet_transaction: 'transfer',
};

/** What the service has found for a text. */
export interface FoundObjects {
  readonly objects: readonly SearchResult[];
  /** Whether they are those of the present text. */
  readonly isCurrent: boolean;
}

/**
 * Finds what the account has by id, payment hash, invoice, address, amount or words: wallets, links, keys, payments and transactions. For operators, also
 * accounts by e-mail, and what other accounts have.
 */
export function useFoundObjects(text: string): FoundObjects {
  const { account } = useSession();
  const search = useTypedText(text);
  const isOperator = account.role === 'operator';
  const { data, error } = useResource(search === '' ? undefined : `search ${search}`, async (signal) => {
    const request = { q: search, 'per-page': MAX_FOUND };
    const [own, all] = await Promise.all([
      api.account.search(request, { signal }),
      isOperator ? api.account.search({ ...request, scope: 'service' }, { signal }) : [],
    ]);
    return [...own, ...all.filter(({ account_id: owner, type }) => owner !== account.id || type === 'account')];
  });
  const isCurrent = search === text && (search === '' || data !== undefined || error !== undefined);
  return { objects: isCurrent ? (data ?? []) : [], isCurrent };
}

/** Returns the path of the screen that shows an object. Those of other accounts are on the page of their account. */
export function pathOf({ type, id, wallet_id: walletId, account_id: owner }: SearchResult, accountId: string): string {
  if (owner !== accountId || type === 'account') return `/accounts/${owner}`;
  const ofWallet = walletId === null ? '' : `?wallet=${walletId}`;
  if (type === 'wallet') return `/wallets/${id}`;
  if (type === 'pay_link') return `/links/${id}`;
  if (type === 'withdraw_link') return `/links${ofWallet}`;
  if (type === 'key') return `/keys${ofWallet}`;
  if (type === 'lightning_transaction') return `/payments/${id}`;
  return `/wallets/${walletId}?tx=${id}`;
}
