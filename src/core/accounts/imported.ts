import type { SqlReader, Tx } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import { findAccount, findByEmail, updateAccount } from './accounts.sql.ts';
import { openAccount } from './accounts.ts';

/**
 * Creates an account for wallets that are imported. It has no secret key and no password: its owner gets a setup link. The e-mail is stored
 * unless another account has it.
 */
export async function openImportedAccount(
  tx: Tx,
  clock: Clock,
  email: string | undefined,
): Promise<{ accountId: string; hasEmail: boolean }> {
  const { accountId } = await openAccount(tx, clock);
  const hasEmail = email !== undefined && !(await tx.first(findByEmail, email));
  if (hasEmail) await tx.run(updateAccount, accountId, null, null, email, null);
  return { accountId, hasEmail };
}

/** Returns whether there is an account with this id. */
export async function accountExists(reader: SqlReader, accountId: string): Promise<boolean> {
  return (await reader.first(findAccount, accountId)) !== undefined;
}
