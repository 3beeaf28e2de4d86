import { randomBytes } from 'node:crypto';
import { changeOwnAccount, type Key, lockAccount } from '../../core/accounts/accounts.ts';
import { type StartedSession, startSession } from '../../core/accounts/sessions.ts';
import type { Database, Tx } from '../../core/db/database.ts';
import { isUniqueViolation } from '../../core/db/errors.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import { newId, secretHash } from '../../core/kernel/ids.ts';
import { Refusal, requireFound } from '../../core/kernel/refusal.ts';
import { tooManyLogins } from './login-limits.ts';
import type { LoginContext } from './login-modules.ts';
import * as sql from './passkeys.sql.ts';
import {
  ALGORITHMS,
  challengeOf,
  credentialIdOf,
  InvalidCredential,
  type NewCredential,
  readRegistration,
  relyingPartyOf,
  verifyAssertion,
} from './webauthn.ts';

const MAX_PER_ACCOUNT = 20;
/** How long a challenge can be used. */
const CHALLENGE_SECONDS = 300;
const CREATION_OPTIONS = {
  timeout: CHALLENGE_SECONDS * 1000,
  pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
  authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
  attestation: 'none',
};
const MAX_OPEN_LOGINS = 10_000;
const DELETED_AT_ONCE = 100;

/**
 * Passkeys (WebAuthn). The authenticator verifies the person and signs only for this origin, so a passkey replaces the password and the second
 * factor. Adding one and logging in throw Refusal `passkeys_unavailable` if PUBLIC_URL allows none.
 */
export type Passkeys = ReturnType<typeof createPasskeys>;

export function createPasskeys({ database, clock, ownerCheck, secondFactors, publicUrl }: LoginContext) {
  const list = (accountId: string) => database.all(sql.listPasskeys, accountId);

  return {
    /** Returns the passkeys of an account, newest first. */
    list,

    /**
     * Begins to add a passkey. Returns the PublicKeyCredentialCreationOptionsJSON of WebAuthn.
     * @throws Refusal `password_required`, `forbidden`, `code_required` if the account has a second factor and the password was sent
     */
    async beginAdding(by: Key, { password, code }: { password: string | undefined; code: string | undefined }) {
      const { id } = relyingPartyOf(publicUrl);
      const begin = async (tx: Tx, email: string) => {
        // A passkey replaces the second factor, and a password alone does not.
        if (password !== undefined) await secondFactors.require(tx, by.accountId, code);
        await tx.run(sql.deleteChallengesOf, by.accountId);
        return { challenge: await newChallenge(tx, clock, by), name: email || by.accountId };
      };
      const { challenge, name } = await secondFactors.countingWrongCodes(() => ownerCheck.withPasswordOrFreshLogin(by, password, begin));
      return {
        ...creationOptions({ rpId: id, accountId: by.accountId, name, challenge }),
        excludeCredentials: (await list(by.accountId)).map(descriptorOf),
      };
    },

    /** @throws Refusal `validation_failed`, `login_taken`, `too_many_logins` */
    async add(by: Key, { credential, name }: { credential: unknown; name: string }): Promise<sql.PasskeyRow> {
      const party = relyingPartyOf(publicUrl);
      const made = await checked('validation_failed', async () =>
        readRegistration(party, credential, await takeChallenge(database, clock, credential, by)),
      );
      return changeOwnAccount(database, by, (tx) => insertPasskey(tx, clock, by, { ...made, name }));
    },

    /** @throws Refusal `not_found` */
    rename: (by: Key, id: string, name: string) =>
      changeOwnAccount(database, by, async (tx) => {
        await tx.run(sql.renamePasskey, id, by.accountId, name);
        return read(tx, by, id);
      }),

    /** Removes a passkey and returns it. @throws Refusal `not_found` */
    remove: (by: Key, id: string) =>
      changeOwnAccount(database, by, async (tx) => {
        const passkey = await read(tx, by, id);
        await tx.run(sql.deletePasskey, id, by.accountId);
        return passkey;
      }),

    /** Begins a login. Returns the PublicKeyCredentialRequestOptionsJSON of WebAuthn. @throws Refusal `rate_limited` if too many are open */
    async beginLogin() {
      const { id: rpId } = relyingPartyOf(publicUrl);
      const challenge = await database.transaction((tx) => newChallenge(tx, clock));
      return { challenge, timeout: CHALLENGE_SECONDS * 1000, rpId, userVerification: 'required' };
    },

    /** @throws Refusal `unauthorized` */
    async logIn(credential: unknown, userAgent: string): Promise<StartedSession> {
      const party = relyingPartyOf(publicUrl);
      return checked('unauthorized', async () => {
        const challenge = await takeChallenge(database, clock, credential);
        const found = await database.first(sql.findPasskey, credentialIdOf(credential));
        if (!found) throw new InvalidCredential('no account has it');
        const { id, account_id: accountId, public_key: publicKey } = found;
        const counter = verifyAssertion(party, credential, { challenge, publicKey, userHandle: handleOf(accountId) });
        return database.transaction(async (tx) => {
          await lockAccount(tx, accountId);
          if (!(await tx.first(sql.findPasskeyById, id, accountId))) throw new InvalidCredential('no account has it');
          if ((await tx.run(sql.usePasskey, id, counter, unixSeconds(clock))) === 0)
            throw new InvalidCredential('its counter of signatures went back, so there may be a copy of it');
          return startSession(tx, clock, { accountId, method: 'passkey', userAgent });
        });
      });
    },
  };
}

/** Who adds a passkey: the account, and the key, the session or `setup` for a setup link. */
export type PasskeyMaker = Pick<Key, 'accountId' | 'id'>;

/** Returns the PublicKeyCredentialCreationOptionsJSON of an account without passkeys. */
export function creationOptions({ rpId, accountId, name, challenge }: Record<'rpId' | 'accountId' | 'name' | 'challenge', string>) {
  const user = { id: handleOf(accountId), name, displayName: name };
  return { ...CREATION_OPTIONS, challenge, rp: { id: rpId, name: rpId }, user, excludeCredentials: [] };
}

/** @throws Refusal `login_taken`, `too_many_logins` */
export async function insertPasskey(
  tx: Tx,
  clock: Clock,
  by: PasskeyMaker,
  made: NewCredential & { name: string },
): Promise<sql.PasskeyRow> {
  const id = `pky_${newId(clock.nowMs())}`;
  const key = [made.credentialId, made.publicKey, made.counter, JSON.stringify(made.transports), made.name];
  try {
    const inserted = await tx.run(sql.insertPasskey, id, by.accountId, ...key, unixSeconds(clock), MAX_PER_ACCOUNT);
    if (inserted === 0) throw new Refusal('too_many_logins', `The account has ${MAX_PER_ACCOUNT} passkeys. Remove one first.`);
  } catch (error) {
    throw isUniqueViolation(error, 'passkey') ? new Refusal('login_taken') : error;
  }
  return read(tx, by, id);
}

/** Stores a new challenge: to log in, or for `by` to add a passkey. @throws Refusal `rate_limited` if too many people log in */
export async function newChallenge(tx: Tx, clock: Clock, by?: PasskeyMaker): Promise<string> {
  const challenge = randomBytes(32).toString('base64url');
  const now = unixSeconds(clock);
  const row = [secretHash(challenge), by?.accountId ?? null, by?.id ?? null, now, now + CHALLENGE_SECONDS];
  await tx.run(sql.deleteExpired, now, DELETED_AT_ONCE);
  if ((await tx.run(sql.insertChallenge, ...row, MAX_OPEN_LOGINS)) === 0) throw tooManyLogins();
  return challenge;
}

/** Uses up the challenge of a credential and returns it. Afterwards it is used, whether the credential is valid or not. */
export async function takeChallenge(database: Database, clock: Clock, credential: unknown, by?: PasskeyMaker): Promise<string> {
  const challenge = challengeOf(credential);
  const owner = [by?.accountId ?? '', by?.id ?? ''];
  const taken = await database.transaction((tx) => tx.run(sql.takeChallenge, secretHash(challenge), ...owner, unixSeconds(clock)));
  if (taken === 0) throw new InvalidCredential('its challenge is unknown, used or expired');
  return challenge;
}

async function read(tx: Tx, by: PasskeyMaker, id: string): Promise<sql.PasskeyRow> {
  return requireFound(await tx.first(sql.findPasskeyById, id, by.accountId));
}

/** Runs work that may reject a credential. @throws Refusal of this type, with the reason */
export async function checked<T>(type: 'validation_failed' | 'unauthorized', work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof InvalidCredential ? new Refusal(type, `The passkey was rejected: ${error.message}.`) : error;
  }
}

function descriptorOf({ credential_id: id, transports }: sql.PasskeyRow) {
  return { type: 'public-key', id, transports: JSON.parse(transports) as string[] };
}

function handleOf(accountId: string): string {
  return Buffer.from(accountId).toString('base64url');
}
