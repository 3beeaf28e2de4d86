import type { Wallet, Wallets } from '../wallets/wallets.ts';
import type { KeysendRouting } from './settle.ts';

/** TLV records in which payers name the wallet: the ones podcast apps and old clients use (bLIP 10 and its custom keys). */
const WALLET_RECORDS = ['696969', '112111100', '112111100102'];

/** Finds the wallet that a keysend names by its id, otherwise the one that the operator chose for the rest. */
export function keysendRouting(wallets: Wallets, fallbackWalletId: string | undefined): KeysendRouting {
  return async (records) => {
    for (const type of WALLET_RECORDS) {
      const named = await walletNamed(wallets, records[type]);
      if (named) return named;
    }
    return fallbackWalletId === undefined ? undefined : wallets.find(fallbackWalletId);
  };
}

async function walletNamed(wallets: Wallets, hex: string | undefined): Promise<Wallet | undefined> {
  const id = hex === undefined ? '' : Buffer.from(hex, 'hex').toString('utf8').trim();
  // Only an id names a wallet: a key has no business in a payment that every hop's peer can store.
  return /^wal_[0-9A-Za-z]{1,40}$/.test(id) ? wallets.find(id) : undefined;
}
