import { createLinkedKeys } from './accounts/login/linked-keys.ts';
import { createLogins } from './accounts/login/logins.ts';
import { createOwnerCheck } from './accounts/login/owner-check.ts';
import { createPasskeys } from './accounts/login/passkeys.ts';
import { createPasswords, type Passwords } from './accounts/login/passwords.ts';
import { createSecondFactors } from './accounts/login/second-factors.ts';
import { createSessions } from './accounts/login/sessions.ts';
import { createStartLink } from './accounts/login/setup-links.ts';
import type { Database } from './db/database.ts';
import type { Clock } from './kernel/clock.ts';
import { createChallenges } from './lnurl/auth/challenges.ts';
import { createWalletLogins } from './lnurl/auth/wallet-logins.ts';

export interface LoginModuleDependencies {
  readonly database: Database;
  readonly clock: Clock;
  readonly secretKey: Uint8Array;
  readonly publicUrl: string;
  readonly passwords: Passwords | undefined;
}

/** Creates the modules that log people in, to this service and to applications that use it. */
export function createLoginModules({ passwords = createPasswords(), ...deps }: LoginModuleDependencies) {
  const { database, clock, secretKey, publicUrl } = deps;
  const secondFactors = createSecondFactors({ database, clock, secretKey });
  const ownerCheck = createOwnerCheck({ database, clock, passwords });
  const linkedKeys = createLinkedKeys({ database, clock, secondFactors });
  return {
    logins: createLogins({ database, clock, secondFactors, passwords, ownerCheck }),
    challenges: createChallenges({ database, clock, publicUrl }),
    secondFactors,
    linkedKeys,
    walletLogins: createWalletLogins({ database, clock, ownerCheck, linkedKeys, publicUrl }),
    passkeys: createPasskeys({ database, clock, ownerCheck, secondFactors, publicUrl }),
    sessions: createSessions(database, clock),
    createSetupLink: () => createStartLink(database, clock, secretKey),
  };
}
