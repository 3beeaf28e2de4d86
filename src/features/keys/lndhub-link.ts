import type { KeyKind } from '../../core/accounts/keys.ts';

/** The path of the LNDhub API. Zeus hides on-chain deposits, which this service does not have, if an address contains it. */
export const LNDHUB_PATH = '/lndhub/ext';

/** The login in the link of a key, by the kinds of keys that wallet apps may use. Zeus hides sending if it is `invoice`. */
const LOGINS: Partial<Record<KeyKind, string>> = { wallet_admin: 'admin', wallet_invoice: 'invoice', wallet_read: 'invoice' };

/** The prefixes of the keys of LNbits, which its users have without a prefix, by the login of their links. */
const PREFIXES: Readonly<Record<string, string>> = { admin: 'waka', invoice: 'waki' };

/**
 * Returns the key that a login and a password name. The password is a key, or one of LNbits without its prefix: 32 hex digits, which belong to an
 * imported wallet. So the links of apps remain valid after an import, but for the host.
 */
export function keyOfLogin(login: string, password: string): string {
  const prefix = /^[0-9a-f]{32}$/.test(password) ? PREFIXES[login] : undefined;
  return prefix === undefined ? password : `${prefix}_${password}`;
}

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
