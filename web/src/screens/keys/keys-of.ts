import { api, type Key, type NewKey } from '../../api/client.ts';

/** The keys of the account, or of a wallet: the same requests with other paths. */
export interface KeyOwner {
  list(signal: AbortSignal): Promise<readonly Key[]>;
  /** The old key is accepted for `overlapSeconds` more. */
  rotate(id: string, overlapSeconds: number, options: { idempotencyKey: string }): Promise<NewKey>;
  revoke(id: string): Promise<unknown>;
}

/** Enough for every account that people manage by hand. */
const MAX_KEYS = 100;

/** Returns the requests for the keys of a wallet; for those of the account without a wallet. */
export function keysOf(walletId: string): KeyOwner {
  if (walletId === '')
    return {
      list: (signal) => api.keys.list({ 'per-page': MAX_KEYS }, { signal }),
      rotate: (id, seconds, options) => api.keys.rotate(id, { overlap_seconds: seconds }, options),
      revoke: (id) => api.keys.revoke(id),
    };
  const key = walletId;
  return {
    list: (signal) => api.wallets.listKeys(key, { 'per-page': MAX_KEYS }, { signal }),
    rotate: (id, seconds, options) => api.wallets.rotateKey(key, id, { overlap_seconds: seconds }, options),
    revoke: (id) => api.wallets.revokeKey(key, id),
  };
}
