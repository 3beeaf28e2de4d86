import type { Accounts } from '../../core/accounts/accounts.ts';
import { parseKey } from '../../core/accounts/keys.ts';
import type { Database } from '../../core/db/database.ts';
import type { QueuedCaller } from '../../http/limits/fair-queue.ts';
import { keyOfLogin } from '../keys/lndhub-link.ts';
import type { Passwords } from '../logins/passwords.ts';
import * as sql from './logins.sql.ts';

interface AppLoginOptions {
  readonly accounts: Accounts;
  readonly database: Database;
  readonly passwords: Passwords;
}

/** Finds the key of an app by its login and password. */
export type AppLogins = ReturnType<typeof createAppLogins>;

export function createAppLogins({ accounts, database, passwords }: AppLoginOptions) {
  /** An unknown login costs the same work as a wrong password, if there are imported logins at all. */
  async function findImported(login: string, password: string, caller: QueuedCaller): Promise<string | undefined> {
    const known = login === '' ? undefined : await database.first(sql.findAppLogin, login);
    // Apps with the key of a wallet that was revoked are no reason for this work.
    const isKey = parseKey(keyOfLogin(login, password)) !== undefined;
    if (!known && (isKey || !(await database.first(sql.findAnyAppLogin)))) return undefined;
    if (!(await passwords.verify(password, known?.password_hash, caller)) || !known) return undefined;
    if (passwords.isReplaced(known.password_hash)) {
      const better = await passwords.hash(password, caller);
      await database.transaction((tx) => tx.run(sql.replacePasswordHash, login, known.password_hash, better));
    }
    return known.key_id;
  }

  return {
    /**
     * Returns the id of the key: the password is the key itself, or that of a login that another program had issued.
     * @throws Refusal `rate_limited` if too many passwords are checked
     */
    async findKeyId(login: string, password: string, caller: QueuedCaller): Promise<string | undefined> {
      const key = await accounts.find(keyOfLogin(login, password));
      return key?.id ?? findImported(login, password, caller);
    },
  };
}
