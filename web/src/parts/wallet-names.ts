import { useRef } from 'preact/hooks';
import { api, type Event } from '../api/client.ts';
import { useResource } from '../api/resource.ts';
import { useTypedText } from './use-typed.ts';

/** A wallet in a list of choices. */
export interface WalletName {
  readonly id: string;
  /** The id of a wallet without a label. */
  readonly label: string;
}

export interface WalletSearch {
  /** The wallets that the last search has found; undefined before its first response. */
  readonly wallets: readonly WalletName[] | undefined;
  /** Whether they are those of the present text. */
  readonly isCurrent: boolean;
  readonly error: unknown;
}

const MAX_FOUND = 20;
const WALLET_ID = /^walx?_[0-9A-Za-z]+$/;

/** Finds wallets of the account by words of their labels or by id, on the server; without a text, the newest. */
export function useWalletSearch(text: string): WalletSearch {
  const wanted = text.trim();
  const search = useTypedText(wanted);
  // A response to another text has another key, so it is never shown for this one.
  const { data, error } = useResource(`wallet search ${search}`, (signal) => findWallets(search, signal), { isAffected: isOfName });
  const last = useRef<readonly WalletName[]>();
  last.current = data ?? last.current;
  const isCurrent = search === wanted && (data !== undefined || error !== undefined);
  return { wallets: last.current, isCurrent, error: isCurrent && data === undefined ? error : undefined };
}

/** Returns the id of the wallet that `?wallet=` chooses: without it, of the newest one, and an empty text until that is known. */
export function useChosenWallet(parameters: URLSearchParams): string {
  const newest = useWalletSearch('').wallets?.[0];
  return parameters.get('wallet') ?? newest?.id ?? '';
}

async function findWallets(search: string, signal: AbortSignal): Promise<WalletName[]> {
  if (search !== '') {
    const found = await api.account.search({ q: search, type: 'wallet', 'per-page': MAX_FOUND }, { signal });
    return found.map(({ id, label }) => ({ id, label: label || id }));
  }
  return namesOf(await api.wallets.list({ 'per-page': MAX_FOUND, fields: 'id,user_label' }, { signal }));
}

/** Reads the labels of at most 100 wallets by id, with one request. Those that are not known yet are missing. */
export function useWalletLabels(ids: readonly string[]): ReadonlyMap<string, string> {
  const wanted = [...new Set(ids)].filter((id) => WALLET_ID.test(id)).sort();
  const list = wanted.join(',');
  const { data } = useResource(
    list === '' ? undefined : `wallet labels ${list}`,
    async (signal) => {
      const wallets = await api.wallets.list({ id: list, 'per-page': wanted.length, fields: 'id,user_label' }, { signal });
      return new Map(namesOf(wallets).map(({ id, label }) => [id, label]));
    },
    { isAffected: (event) => isOfName(event) && wanted.includes(event.data.wal?.id ?? '') },
  );
  const last = useRef<ReadonlyMap<string, string>>(new Map());
  last.current = data ?? last.current;
  return last.current;
}

function isOfName({ event }: Event): boolean {
  return event.name === 'wallet_created' || event.name === 'wallet_updated';
}

function namesOf(wallets: readonly { readonly id?: string; readonly user_label?: string }[]): WalletName[] {
  return wallets.flatMap(({ id, user_label: label }) => (id === undefined ? [] : [{ id, label: label || id }]));
}
