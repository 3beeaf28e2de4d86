import type { SqlReader, Tx } from '../db/database.ts';
import { writeRows } from '../db/row-write.ts';
import type { Clock } from '../kernel/clock.ts';
import { findAccount, findByEmail, setImportedPassword, updateAccount } from './accounts.sql.ts';
import { newKeyRow, openAccount } from './accounts.ts';

/** What an account of another program has. */
export interface ImportedAccount {
  readonly email: string | undefined;
  /** A hash of its password, which is stored with the e-mail. */
  readonly passwordHash?: string | undefined;
  readonly keys?: readonly { readonly text: string; readonly label: string; readonly expiresAt?: number | undefined }[] | undefined;
}

/**
 * Creates an account for wallets that are imported. Without keys and a password, its owner gets a setup link. The e-mail is stored unless another
 * account has it.
 */
export async function openImportedAccount(
  tx: Tx,
  clock: Clock,
  { email, passwordHash, keys = [] }: ImportedAccount,
): Promise<{ accountId: string; hasEmail: boolean }> {
  const { accountId } = await openAccount(tx, clock);
  const hasEmail = email !== undefined && !(await tx.first(findByEmail, email));
  if (hasEmail) await tx.run(updateAccount, accountId, null, null, email, null);
  if (hasEmail && passwordHash !== undefined) await tx.run(setImportedPassword, accountId, passwordHash);
  await writeRows(
    tx,
    keys.map(({ text, ...key }) => newKeyRow(clock, text, { accountId, walletId: undefined }, key).row),
  );
  return { accountId, hasEmail };
}

/** Returns whether there is an account with this id. */
export async function accountExists(reader: SqlReader, accountId: string): Promise<boolean> {
  return (await reader.first(findAccount, accountId)) !== undefined;
}
