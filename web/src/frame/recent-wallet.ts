import { useLocation } from 'wouter-preact';
import { useSession } from '../api/session.tsx';

const WALLET = /^\/wallets\/(walx?_[0-9A-Za-z]+)/;

/** Remembers the wallet that a person has opened. By account, because people share browsers. */
export function keepRecentWallet(accountId: string, walletId: string): void {
  localStorage.setItem(nameOf(accountId), walletId);
}

export function forgetRecentWallet(accountId: string): void {
  localStorage.removeItem(nameOf(accountId));
}

/** Returns the wallet of the present address, or else the one that this person opened last in this browser. */
export function useCurrentWallet(): string | undefined {
  const { account } = useSession();
  const [path] = useLocation();
  return WALLET.exec(path)?.[1] ?? localStorage.getItem(nameOf(account.id)) ?? undefined;
}

function nameOf(accountId: string): string {
  return `wallet of ${accountId}`;
}
