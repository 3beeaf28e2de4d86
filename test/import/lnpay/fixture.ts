import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The file that mariadb-dump has written. */
export const LNPAY_DUMP = join(import.meta.dirname, 'lnpay.sql');

/** The column `balance`, which LNPay's API returns, in satoshis. */
export const LNPAY_BALANCES: readonly { readonly id: string; readonly balance: number }[] = JSON.parse(
  readFileSync(join(import.meta.dirname, 'balances.json'), 'utf8'),
);
