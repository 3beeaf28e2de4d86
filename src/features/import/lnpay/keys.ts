import { KEY_KINDS, type KeyKind, parseKey } from '../../../core/accounts/keys.ts';
import type { SourceKey } from '../source.ts';

const SUSPENDED = 'Key Suspended';
const INACTIVE = 35;

/** The roles of LNPay that have a kind of key here. */
const ROLES: Readonly<Record<string, KeyKind>> = {
  'Secret API Key': 'secret_api',
  'Public API Key': 'public_api',
  'Wallet Admin': 'wallet_admin',
  'Wallet Invoice': 'wallet_invoice',
  'Wallet Read': 'wallet_read',
  'Wallet LNURL Withdraw': 'wallet_lnurl_withdraw',
  'Wallet LNURL Pay': 'wallet_lnurl_pay',
};

interface KeyRow {
  readonly text: string;
  readonly status: number | null;
  readonly roles: readonly string[];
}

/** They are counted for all wallets together. */
const WEBSITE_KEY = /^wakew[av]_/;

/** 22 letters and digits have 131 bits. */
const STRONG_LENGTH = 22;

/**
 * Returns the key as this service has it, or why it is not imported. The role decides what a key may do in LNPay, and its prefix here: both must agree.
 * A remark never contains a key.
 */
export function keyOf({ text, status, roles }: KeyRow): { readonly key?: SourceKey; readonly remark?: string } {
  const kind = parseKey(text)?.kind;
  const name = roles.find((role) => role !== SUSPENDED) ?? 'a key without a role';
  if (WEBSITE_KEY.test(text)) return {};
  if (roles.includes(SUSPENDED) || status === INACTIVE) return { remark: `${name}: a suspended key is not imported` };
  if (!kind || roles.length !== 1 || ROLES[name] !== kind || !/^[a-z]+_[0-9A-Za-z]+$/.test(text))
    return { remark: `${name}: a key is not imported` };
  const key = { text, label: `LNPay ${name}` };
  const isWeak = !KEY_KINDS[kind].isPublic && text.length - text.indexOf('_') - 1 < STRONG_LENGTH;
  return isWeak ? { key: { ...key, isWeak }, remark: `${name}: a key with less than 128 random bits expires after 90 days` } : { key };
}
