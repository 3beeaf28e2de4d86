import { newKeyRow } from '../../core/accounts/accounts.ts';
import { newKeyText } from '../../core/accounts/keys.ts';
import type { SqlReader } from '../../core/db/database.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import type { RowWrite } from '../../core/ledger/ledger.ts';
import type { Wallet } from '../../core/wallets/wallets.ts';
import * as sql from './logins.sql.ts';

/** A login of an app that another program had issued. */
export interface ImportedLogin {
  readonly login: string;
  /** A hash of bcrypt. */
  readonly passwordHash: string;
}

/** Returns whether no wallet has the login. */
export async function isLoginFree(reader: SqlReader, login: string): Promise<boolean> {
  return (await reader.first(sql.findAppLogin, login)) === undefined;
}

/** Returns the id of the wallet that has a login. */
export async function findWalletOfLogin(reader: SqlReader, login: string): Promise<string | undefined> {
  return (await reader.first(sql.findWalletOfLogin, login))?.wallet_id;
}

/** Returns the rows of a login, for the posting that creates its wallet: the login, and its key, whose secret is not returned. */
export function importedLoginRows(
  clock: Clock,
  wallet: Pick<Wallet, 'id' | 'accountId'>,
  { login, passwordHash }: ImportedLogin,
): RowWrite[] {
  const owner = { accountId: wallet.accountId, walletId: wallet.id };
  const key = newKeyRow(clock, newKeyText('wallet_admin'), owner, { label: `LNDhub login ${login}` });
  const parameters = [login, key.id, passwordHash, unixSeconds(clock)];
  return [key.row, { statement: sql.insertAppLogin, parameters, onMiss: () => new Error('the login was not stored') }];
}
