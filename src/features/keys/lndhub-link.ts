import type { KeyKind } from '../../core/accounts/keys.ts';

/** The path of the LNDhub API. Zeus hides on-chain deposits, which this service does not have, if an address contains it. */
export const LNDHUB_PATH = '/lndhub/ext';

/** The login in the link of a key, by the kinds of keys that wallet apps may use. Zeus hides sending if it is `invoice`. */
const LOGINS: Partial<Record<KeyKind, string>> = { wallet_admin: 'admin', wallet_invoice: 'invoice', wallet_read: 'invoice' };

/** Returns whether wallet apps may use keys of this kind. */
export function isForApps(kind: KeyKind): boolean {
  return LOGINS[kind] !== undefined;
}

/**
 * Returns the link with which a wallet app uses a key, `lndhub://login:key@https://host/lndhub/ext/`; undefined for a kind that apps may not use.
 * The link is a secret, like the key.
 */
export function lndhubLink(publicUrl: string, { kind, key }: { readonly kind: KeyKind; readonly key: string }): string | undefined {
  return isForApps(kind) ? `lndhub://${LOGINS[kind]}:${key}@${publicUrl}${LNDHUB_PATH}/` : undefined;
}
