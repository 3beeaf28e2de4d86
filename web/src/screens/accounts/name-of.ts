import type { Account } from '../../api/client.ts';
import { formatCount } from '../../texts/count.ts';
import { accounts as texts } from '../../texts/en-accounts.ts';

/** Returns the e-mail of an account, or its id. */
export function nameOf({ email, id }: Pick<Account, 'email' | 'id'>): string {
  return email ?? id;
}

/** Returns how many wallets an account has, and how many it may have. */
export function walletsOf({ num_wallets: wallets, max_wallets: limit }: Account): string {
  return limit === 0 ? `${formatCount(wallets)}, ${texts.noLimit}` : texts.walletsOf(formatCount(wallets), formatCount(limit));
}

/** Returns how the owner logs in. */
export function loginOf({ has_password: hasPassword, has_totp: hasTotp }: Account): string {
  if (!hasPassword) return texts.logins.none;
  return hasTotp ? texts.logins.totp : texts.logins.password;
}

/** Returns the number of wallets in a field: 0, no limit, for an empty one; undefined if it is not a whole number. */
export function parseMaxWallets(text: string): number | undefined {
  const digits = text.replaceAll(/\s/g, '');
  if (digits === '') return 0;
  const wallets = /^\d{1,7}$/.test(digits) ? Number(digits) : Number.NaN;
  return wallets <= 1_000_000 ? wallets : undefined;
}
