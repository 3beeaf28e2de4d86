import { createSessions } from '../../core/accounts/sessions.ts';
import { createStartLink } from '../../core/accounts/setup-links.ts';
import type { Database } from '../../core/db/database.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import { createChallenges } from './lnurl-auth/challenges.ts';
import { createLogins } from './logins.ts';
import { createOwnerCheck, type OwnerCheck } from './owner-check.ts';
import { createPasskeys } from './passkeys.ts';
import { createPasswords, type Passwords } from './passwords.ts';
import { createRecoveryCodes, type RecoveryCodes } from './recovery-codes.ts';
import { createSecondFactors, type SecondFactors } from './second-factors.ts';
import { createSetups } from './setups.ts';
import { createWalletLogins } from './wallet-logins.ts';

export interface LoginOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** The bytes of SECRET_KEY. */
  readonly secretKey: Uint8Array;
  readonly publicUrl: string;
  readonly passwords: Passwords | undefined;
}

/** What each way to log in uses. */
export interface LoginContext extends Omit<LoginOptions, 'secretKey'> {
  readonly passwords: Passwords;
  readonly ownerCheck: OwnerCheck;
  readonly secondFactors: SecondFactors;
  readonly recoveryCodes: RecoveryCodes;
}

/** The modules that log people in, to this service and to applications that use it. */
export type LoginModules = ReturnType<typeof createLoginModules>;

export function createLoginModules({ secretKey, passwords = createPasswords(), ...options }: LoginOptions) {
  const { database, clock, publicUrl } = options;
  const ownerCheck = createOwnerCheck(database, clock, passwords);
  const secondFactors = createSecondFactors(database, clock, ownerCheck, secretKey);
  const recoveryCodes = createRecoveryCodes(database, { ownerCheck, secondFactors });
  const context: LoginContext = { ...options, passwords, ownerCheck, secondFactors, recoveryCodes };
  return {
    passwords,
    secondFactors,
    recoveryCodes,
    logins: createLogins(context),
    setups: createSetups(context),
    walletLogins: createWalletLogins(context),
    passkeys: createPasskeys(context),
    challenges: createChallenges(database, clock, publicUrl),
    sessions: createSessions(database, clock),
    createSetupLink: () => createStartLink(database, clock, secretKey),
  };
}
