import type { Summary } from '../../../../client/satchel.js';
import { api, type Event, type Wallet } from '../../api/client.ts';
import { type ListPage, readListPage } from '../../api/list.ts';
import { type Resource, useResource } from '../../api/resource.ts';
import { startOfLastDays } from '../../parts/last-days.ts';

export interface WalletSearch {
  readonly label: string | undefined;
  readonly status: 'active' | 'inactive' | undefined;
  readonly after: string | undefined;
}

/** The most wallets of a page. */
export const PER_PAGE = 50;

const WALLET_ID = /^walx?_[0-9A-Za-z]{1,32}$/;

/** The filter of the API for a search: a text in the label, or an id. */
export function filterOf({ label, status }: Omit<WalletSearch, 'after'>): Readonly<Record<string, string>> {
  const text = label && (WALLET_ID.test(label) ? { id: label } : { label });
  return { ...text, ...(status && { status }) };
}

/** A page of the account's wallets, newest first: all, or those with a text in their label, or the one with an id. */
export function useWalletPage({ after, ...search }: WalletSearch): Resource<ListPage<Wallet>> {
  const request = { 'per-page': PER_PAGE, ...filterOf(search), ...(after && { after }) };
  return useResource(
    `wallets ${JSON.stringify(request)}`,
    (signal) => readListPage((options) => api.wallets.list(request, options), signal),
    { isAffected: isOfWallet },
  );
}

function isOfWallet({ data }: Event): boolean {
  return data.wal !== undefined || data.wtx !== undefined;
}

export interface WalletSum {
  readonly balanceMsat: number;
  readonly pendingMsat: number;
  /** The number of wallets. */
  readonly count: number | undefined;
  /** What came in and went out in 30 days. */
  readonly moved: Pick<Summary, 'in_msat' | 'in_count' | 'out_msat' | 'fees_msat'>;
}

/** The sums of all wallets of the account. */
export function useWalletSum(): Resource<WalletSum> {
  return useResource('wallets sum', readSum, { isAffected: isOfWallet });
}

async function readSum(signal: AbortSignal): Promise<WalletSum> {
  const {
    balance_msat: balanceMsat,
    pending_msat: pendingMsat,
    wallets: count,
    ...moved
  } = await api.account.getSummary({ from: startOfLastDays(30) }, { signal });
  return { balanceMsat, pendingMsat, count, moved };
}
