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
      const wallets = await api.wallets.list(request, { signal, onResponse });
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
}

/** The sums of all wallets of the account. */
export function useWalletSum(): Resource<WalletSum> {
  return useResource('wallets sum', readSum, { isAffected: isOfWallet });
}

async function readSum(signal: AbortSignal): Promise<WalletSum> {
  const { balance_msat: balanceMsat, pending_msat: pendingMsat } = await api.account.getSummary({}, { signal });
  return { balanceMsat, pendingMsat };
}
