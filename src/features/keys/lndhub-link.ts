import { KEY_KINDS, type KeyKind } from '../../core/accounts/keys.ts';

/** The path of the LNDhub API. Zeus hides on-chain deposits, which this service does not have, if an address contains it. */
export const LNDHUB_PATH = '/lndhub/ext';

/**
 * Returns the link with which a wallet app uses an access key of a wallet, `lndhub://login:key@https://host/lndhub/ext/`; undefined for a key that is
 * not one. Zeus hides sending if the login is `invoice`. The link is a secret, like the key.
 */
export function lndhubLink(publicUrl: string, { kind, key }: { readonly kind: KeyKind; readonly key: string }): string | undefined {
  if (kind === 'secret_api' || KEY_KINDS[kind].isPublic) return undefined;
  const login = kind === 'wallet_admin' ? 'admin' : 'invoice';
  return `lndhub://${login}:${key}@${publicUrl}${LNDHUB_PATH}/`;
}
