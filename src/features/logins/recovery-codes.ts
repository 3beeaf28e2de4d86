import type { Key } from '../../core/accounts/accounts.ts';
import type { Database, Tx } from '../../core/db/database.ts';
import { randomText, secretHash } from '../../core/kernel/ids.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import * as sql from './logins.sql.ts';
import type { OwnerCheck } from './owner-check.ts';
import type { SecondFactors } from './second-factors.ts';

const RECOVERY_CODES = 10;
/** 71 random bits, so a fast hash is safe. */
const RECOVERY_CODE_LENGTH = 12;

/**
 * The codes that log in without a password or a passkey, once each. Where the login has a second factor, they replace that alone, and the
 * second factors check them.
 */
export type RecoveryCodes = ReturnType<typeof createRecoveryCodes>;

export function createRecoveryCodes(
  database: Database,
  { ownerCheck, secondFactors }: { ownerCheck: OwnerCheck; secondFactors: SecondFactors },
) {
  return {
    /**
     * Replaces the codes and returns them. They are not stored.
     * @throws Refusal `password_required`, `forbidden`, `validation_failed` with a second factor
     */
    renew: (by: Key, password: string | undefined) =>
      ownerCheck.withPasswordOrFreshLogin(by, password, async (tx) => {
        if (await secondFactors.has(tx, by.accountId))
          throw new Refusal(
            'validation_failed',
            'The account has an authenticator app. Its recovery codes are replaced with a code of the app.',
          );
        return replaceRecoveryCodes(tx, by.accountId);
      }),

    /** Uses up a code that logs in. Returns false for a wrong one, and for all codes of an account with a second factor. */
    async use(tx: Tx, accountId: string, code: string): Promise<boolean> {
      if (await secondFactors.has(tx, accountId)) return false;
      return (await tx.run(sql.useRecoveryCode, accountId, secretHash(code))) === 1;
    },

    /** Returns the number of unused codes; undefined if the account has neither codes nor a second factor. */
    async count(accountId: string): Promise<number | undefined> {
      const found = await database.first(sql.countRecoveryCodes, accountId);
      return found && (found.n > 0 || found.apps > 0) ? found.n : undefined;
    },
  };
}

/** Replaces the codes of an account and returns them. Only their hashes are stored. */
export async function replaceRecoveryCodes(tx: Tx, accountId: string): Promise<string[]> {
  await tx.run(sql.deleteRecoveryCodes, accountId);
  const codes = Array.from({ length: RECOVERY_CODES }, () => randomText(RECOVERY_CODE_LENGTH));
  for (const one of codes) await tx.run(sql.insertRecoveryCode, accountId, secretHash(one));
  return codes;
}
