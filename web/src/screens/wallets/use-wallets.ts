import { api, type Event, type Wallet } from '../../api/client.ts';
import { type Resource, useResource } from '../../api/resource.ts';

export interface WalletSearch {
  readonly label: string | undefined;
  readonly status: 'active' | 'inactive' | undefined;
  readonly after: string | undefined;
}

export interface WalletPage {
  readonly wallets: readonly Wallet[];
  /** The cursor of the next page; undefined at the end. */
  readonly next: string | undefined;
}

const PER_PAGE = 50;

/** A page of the account's wallets, newest first. */
export function useWalletPage({ label, status, after }: WalletSearch): Resource<WalletPage> {
  const request = { 'per-page': PER_PAGE, ...(label && { label }), ...(status && { status }), ...(after && { after }) };
  return useResource(
    `wallets ${JSON.stringify(request)}`,
    async (signal) => {
      let links = '';
      const onResponse = ({ headers }: Response) => {
        links = headers.get('link') ?? '';
      };
      const wallets = await api.listWallets(request, { signal, onResponse });
      const link = /<\?([^>]*)>; rel="next"/.exec(links)?.[1];
      return { wallets, next: link === undefined ? undefined : (new URLSearchParams(link).get('after') ?? wallets.at(-1)?.id) };
    },
    { isAffected: isOfWallet },
  );
}

function isOfWallet({ data }: Event): boolean {
  return data.wal !== undefined || data.wtx !== undefined;
}

export interface WalletSum {
  readonly balanceMsat: number;
  readonly pendingMsat: number;
  readonly count: number;
  /** Whether the account has more wallets than were added up. */
  readonly isPartial: boolean;
}

const SUM_PER_PAGE = 100;
/** An account with more wallets is one of a service, which has its own books. */
const MAX_SUM_PAGES = 50;

/** The sum of the balances of the account's wallets. */
export function useWalletSum(): Resource<WalletSum> {
  return useResource('wallets sum', readSum, { isAffected: isOfWallet });
}

async function readSum(signal: AbortSignal): Promise<WalletSum> {
  let [balanceMsat, pendingMsat, count, after] = [0, 0, 0, undefined as string | undefined];
  for (let page = 0; page < MAX_SUM_PAGES; page++) {
    const request = { 'per-page': SUM_PER_PAGE, fields: 'id,balance_msat,pending_msat', ...(after && { after }) };
    const wallets = await api.listWallets(request, { signal });
    for (const { balance_msat = 0, pending_msat = 0 } of wallets) {
      balanceMsat += balance_msat;
      pendingMsat += pending_msat;
    }
    count += wallets.length;
    after = wallets.at(-1)?.id;
    if (wallets.length < SUM_PER_PAGE) return { balanceMsat, pendingMsat, count, isPartial: false };
  }
  return { balanceMsat, pendingMsat, count, isPartial: true };
}
