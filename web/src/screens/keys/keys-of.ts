import { api, type Key, type NewKey, type RequestOptions } from '../../api/client.ts';
import type { ListRequest } from '../../parts/use-list.tsx';

/** The keys of the account, or of a wallet: the same requests with other paths. */
export interface KeyOwner {
  list(request: KeyListRequest, options: RequestOptions): Promise<readonly Key[]>;
  /** The old key is accepted for `overlapSeconds` more. */
  rotate(id: string, overlapSeconds: number, options: { idempotencyKey: string }): Promise<NewKey>;
  revoke(id: string): Promise<unknown>;
}

type KeyListRequest = ListRequest & { readonly status: 'active' | 'expired' | 'revoked' };

const CANNOT_SEND: readonly string[] = ['wallet_invoice', 'wallet_read', 'public_api'];

/** Returns whether keys of a kind can send money, so that limits apply to them. */
export function canSend(kind: string): boolean {
  return !CANNOT_SEND.includes(kind);
}

/** Returns the requests for the keys of a wallet; for those of the account without a wallet. */
export function keysOf(walletId: string): KeyOwner {
  if (walletId === '')
    return {
      list: (request, options) => api.keys.list(request, options),
      rotate: (id, seconds, options) => api.keys.rotate(id, { overlap_seconds: seconds }, options),
      revoke: (id) => api.keys.revoke(id),
    };
  const key = walletId;
  return {
    list: (request, options) => api.wallets.listKeys(key, request, options),
    rotate: (id, seconds, options) => api.wallets.rotateKey(key, id, { overlap_seconds: seconds }, options),
    revoke: (id) => api.wallets.revokeKey(key, id),
  };
}
