import { type Key, keyGuard } from '../../core/accounts/accounts.ts';
import { lockAccount } from '../../core/accounts/keyring.sql.ts';
import { type StartedSession, startSession } from '../../core/accounts/sessions.ts';
import type { Database, Tx } from '../../core/db/database.ts';
import { isUniqueViolation } from '../../core/db/errors.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import { newId } from '../../core/kernel/ids.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { requireGuards } from '../../core/ledger/ledger.ts';
import type { OwnerCheck } from './owner-check.ts';
import { createPasskeyChallenges } from './passkey-challenges.ts';
import * as sql from './passkeys.sql.ts';
import type { SecondFactors } from './second-factors.ts';
import {
  challengeOf,
  credentialIdOf,
  InvalidCredential,
  type RelyingParty,
  readRegistration,
  relyingPartyOf,
  verifyAssertion,
} from './webauthn.ts';

/** A passkey of an account. Times are Unix seconds. */
export interface Passkey {
  readonly id: string;
  readonly credentialId: string;
  readonly transports: readonly string[];
  readonly name: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | undefined;
}

/** A challenge that a browser passes to an authenticator. */
export interface PasskeyChallenge {
  readonly party: RelyingParty;
  /** In base64url. */
  readonly challenge: string;
}

/** What an authenticator needs to create a passkey. */
export interface NewPasskeyChallenge extends PasskeyChallenge {
  /** The id of the account in base64url. */
  readonly userHandle: string;
  readonly userName: string;
  /** The passkeys that the account has. */
  readonly existing: readonly Passkey[];
}

/**
 * Passkeys (WebAuthn). The authenticator verifies the person and signs only for this origin, so a passkey replaces the password and the second
 * factor. Each method throws Refusal `passkeys_unavailable` if PUBLIC_URL allows none.
 */
export interface Passkeys {
  /** @throws Refusal `password_required`, `forbidden`, `code_required` if the account has a second factor and the password was sent */
  beginAdding(by: Key, proof: { password: string | undefined; code: string | undefined }): Promise<NewPasskeyChallenge>;
  /** @throws Refusal `validation_failed`, `login_taken`, `too_many_logins` */
  add(by: Key, passkey: { credential: unknown; name: string }): Promise<Passkey>;
  /** Returns the passkeys of an account, newest first. */
  list(accountId: string): Promise<Passkey[]>;
  /** @throws Refusal `not_found` */
  rename(by: Key, id: string, name: string): Promise<Passkey>;
  /** Removes a passkey and returns it. @throws Refusal `not_found` */
  remove(by: Key, id: string): Promise<Passkey>;
  /** @throws Refusal `rate_limited` if too many are open */
  beginLogin(): Promise<PasskeyChallenge>;
  /** @throws Refusal `unauthorized` */
  logIn(credential: unknown, userAgent: string): Promise<StartedSession>;
}

const MAX_PER_ACCOUNT = 20;

export interface PasskeyDependencies {
  readonly database: Database;
  readonly clock: Clock;
  readonly ownerCheck: OwnerCheck;
  readonly secondFactors: SecondFactors;
  readonly publicUrl: string;
}

export function createPasskeys({ database, clock, ownerCheck, secondFactors, publicUrl }: PasskeyDependencies): Passkeys {
  const challenges = createPasskeyChallenges(database, clock);

  /** Uses up the challenge of a credential and returns it. Afterwards it is used, whether the credential is valid or not. */
  async function takeChallenge(credential: unknown, by?: Key): Promise<string> {
    const challenge = challengeOf(credential);
    if (!(await challenges.take(challenge, by))) throw new InvalidCredential('its challenge is unknown, used or expired');
    return challenge;
  }

  function changeOwn<T>(by: Key, work: (tx: Tx) => Promise<T>): Promise<T> {
    return database.transaction(async (tx) => {
      await tx.first(lockAccount, by.accountId);
      await requireGuards(tx, [keyGuard(by)]);
      return work(tx);
    });
  }

  async function list(accountId: string): Promise<Passkey[]> {
    return (await database.all(sql.listPasskeys, accountId)).map(toPasskey);
  }

  return {
    list,
    async beginAdding(by, { password, code }) {
      const party = partyOf(publicUrl);
      const begun = await ownerCheck.withPasswordOrFreshLogin(by, password, async (tx, email) => {
        // A passkey replaces the second factor, and a password alone does not.
        if (password !== undefined) await secondFactors.require(tx, by.accountId, code);
        return { challenge: await challenges.createForAccount(tx, by), userName: email || by.accountId };
      });
      return { party, ...begun, userHandle: handleOf(by.accountId), existing: await list(by.accountId) };
    },
    async add(by, { credential, name }) {
      const party = partyOf(publicUrl);
      const made = await checked('validation_failed', async () => readRegistration(party, credential, await takeChallenge(credential, by)));
      const id = `pky_${newId(clock.nowMs())}`;
      const key = [made.credentialId, made.publicKey, made.counter, JSON.stringify(made.transports)];
      try {
        return await changeOwn(by, async (tx) => {
          const inserted = await tx.run(sql.insertPasskey, id, by.accountId, ...key, name, unixSeconds(clock), MAX_PER_ACCOUNT);
          if (inserted === 0) throw new Refusal('too_many_logins', `The account has ${MAX_PER_ACCOUNT} passkeys. Remove one first.`);
          return read(tx, by, id);
        });
      } catch (error) {
        throw isUniqueViolation(error, 'passkey') ? new Refusal('login_taken') : error;
      }
    },
    rename: (by, id, name) =>
      changeOwn(by, async (tx) => {
        await tx.run(sql.renamePasskey, id, by.accountId, name);
        return read(tx, by, id);
      }),
    remove: (by, id) =>
      changeOwn(by, async (tx) => {
        const passkey = await read(tx, by, id);
        await tx.run(sql.deletePasskey, id, by.accountId);
        return passkey;
      }),
    async beginLogin() {
      return { party: partyOf(publicUrl), challenge: await challenges.createForLogin() };
    },
    async logIn(credential, userAgent) {
      const party = partyOf(publicUrl);
      return checked('unauthorized', async () => {
        const challenge = await takeChallenge(credential);
        const found = await database.first(sql.findPasskey, credentialIdOf(credential));
        if (!found) throw new InvalidCredential('no account has it');
        const { id, account_id: accountId, public_key: publicKey } = found;
        const counter = verifyAssertion(party, credential, { challenge, publicKey, userHandle: handleOf(accountId) });
        return database.transaction(async (tx) => {
          await tx.first(lockAccount, accountId);
          if (!(await tx.first(sql.findPasskeyById, id, accountId))) throw new InvalidCredential('no account has it');
          if ((await tx.run(sql.usePasskey, id, counter, unixSeconds(clock))) === 0)
            throw new InvalidCredential('its counter of signatures went back, so there may be a copy of it');
          return startSession(tx, clock, { accountId, method: 'passkey', userAgent });
        });
      });
    },
  };
}

async function read(tx: Tx, by: Key, id: string): Promise<Passkey> {
  const row = await tx.first(sql.findPasskeyById, id, by.accountId);
  if (!row) throw new Refusal('not_found');
  return toPasskey(row);
}

/** Removes all passkeys of an account. */
export async function removePasskeys(tx: Tx, accountId: string): Promise<void> {
  await tx.run(sql.deletePasskeys, accountId);
}

/** Runs work that may reject a credential. @throws Refusal of this type, with the reason */
async function checked<T>(type: 'validation_failed' | 'unauthorized', work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof InvalidCredential ? new Refusal(type, `The passkey was rejected: ${error.message}.`) : error;
  }
}

/** @throws Refusal `passkeys_unavailable` */
function partyOf(publicUrl: string): RelyingParty {
  const party = relyingPartyOf(publicUrl);
  if (!party) throw new Refusal('passkeys_unavailable');
  return party;
}

function handleOf(accountId: string): string {
  return Buffer.from(accountId).toString('base64url');
}

function toPasskey(row: sql.PasskeyRow): Passkey {
  return {
    id: row.id,
    credentialId: row.credential_id,
    transports: JSON.parse(row.transports),
    name: row.name,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at ?? undefined,
  };
}
