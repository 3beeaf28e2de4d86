import { createSessions } from '../../core/accounts/sessions.ts';
import { createStartLink } from '../../core/accounts/setup-links.ts';
import type { Database } from '../../core/db/database.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import { createLinkedKeys } from './linked-keys.ts';
import { createChallenges } from './lnurl-auth/challenges.ts';
import { createLogins } from './logins.ts';
import { createOwnerCheck } from './owner-check.ts';
import { createPasskeys } from './passkeys.ts';
import { createPasswords, type Passwords } from './passwords.ts';
import { createSecondFactors } from './second-factors.ts';
import { createWalletLogins } from './wallet-logins.ts';

export interface LoginOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly secretKey: Uint8Array;
  readonly publicUrl: string;
  readonly passwords: Passwords | undefined;
}

/** Creates the modules that log people in, to this service and to applications that use it. */
export function createLoginModules({ database, clock, secretKey, publicUrl, passwords = createPasswords() }: LoginOptions) {
  const secondFactors = createSecondFactors(database, clock, secretKey);
  const ownerCheck = createOwnerCheck(database, clock, passwords);
  const linkedKeys = createLinkedKeys(database, clock, secondFactors);
  return {
    logins: createLogins({ database, clock, secondFactors, passwords, ownerCheck }),
    challenges: createChallenges(database, clock, publicUrl),
    secondFactors,
    linkedKeys,
    walletLogins: createWalletLogins({ database, clock, ownerCheck, linkedKeys, publicUrl }),
    passkeys: createPasskeys({ database, clock, ownerCheck, secondFactors, publicUrl }),
    sessions: createSessions(database, clock),
    createSetupLink: () => createStartLink(database, clock, secretKey),
  };
}
