import { hkdfSync } from 'node:crypto';
import { createAccounts, type Key } from '../../src/core/accounts/accounts.ts';
import { createAccountDirectory } from '../../src/core/accounts/directory.ts';
import { newKeyText } from '../../src/core/accounts/keys.ts';
import { createSetupLink } from '../../src/core/accounts/setup-links.ts';
import type { Database } from '../../src/core/db/database.ts';
import type { List } from '../../src/core/kernel/list.ts';
import { createLedger } from '../../src/core/ledger/ledger.ts';
import { createLoginModules } from '../../src/features/logins/login-modules.ts';
import { createPasswords } from '../../src/features/logins/passwords.ts';
import { totpCode } from '../../src/features/logins/totp.ts';

const SECRET_KEY = Buffer.alloc(32, 7);
/** Scrypt takes 0.1 s. */
const QUICK = createPasswords(async (password, salt) => new Uint8Array(hkdfSync('sha256', password, salt, '', 32)));

function testClock() {
  const clock = { seconds: 1_900_000_000, nowMs: () => clock.seconds * 1000 };
  return clock;
}

/**
 * The modules of accounts and logins on a database, as an instance of the service creates them, with a time that the test sets. Sessions and keys
 * expire by the clock of the database.
 */
export function loginsOn(database: Database, { secretKey = SECRET_KEY, clock = testClock() } = {}) {
  const accounts = createAccounts(database, clock);
  const directory = createAccountDirectory({ database, ledger: createLedger(database, clock), clock });
  const modules = createLoginModules({ database, clock, secretKey, publicUrl: 'https://wallets.example.com', passwords: QUICK });
  const { setups, secondFactors, sessions } = modules;

  /** Creates an account: the first is the operator's. */
  async function newAccount(): Promise<Key> {
    const keys = await accounts.bootstrap(newKeyText('secret_api'), async () => undefined);
    return (await accounts.find(keys?.secretKey ?? '')) as Key;
  }

  return {
    ...modules,
    database,
    clock,
    accounts,
    directory,
    newAccount,

    /** Creates a setup link of an account and returns its token. */
    newLink: async (accountId: string) => (await database.transaction((tx) => createSetupLink(tx, clock, accountId))).token,

    /** Sets e-mail and password of an account. Returns the session as a key. */
    async setUp(account: Key, email: string, password = 'a long password'): Promise<Key> {
      const { token } = await database.transaction((tx) => createSetupLink(tx, clock, account.accountId));
      const { secret } = await setups.setPassword({ token, email, password }, 'test');
      return (await sessions.find(secret)) as Key;
    },

    /** Adds an authenticator app to an account. Returns its codes, and the recovery codes. */
    async addApp(session: Key, password = 'a long password') {
      const { seed } = await secondFactors.begin(session, password);
      const codeAt = (steps: number) => totpCode(seed, Math.floor(clock.seconds / 30) + steps);
      return { seed, codeAt, recoveryCodes: await secondFactors.confirm(session, codeAt(0)) };
    },
  };
}

/** Returns the first items of a list, newest first. */
export async function itemsOf<T>(list: List<T>): Promise<readonly T[]> {
  return (await list.readPage({ limit: 100, order: 'desc' })).items;
}

/** Returns `done`, or the type of the refusal, for each outcome. */
export function typesOf(outcomes: readonly PromiseSettledResult<unknown>[]): string[] {
  return outcomes.map((one) => (one.status === 'fulfilled' ? 'done' : String(one.reason?.type ?? one.reason)));
}

/** Returns the type of the refusal of a call, or `done`. */
export async function typeOf(call: Promise<unknown>): Promise<string> {
  return typesOf(await Promise.allSettled([call]))[0] ?? '';
}
