import { hkdfSync, randomBytes } from 'node:crypto';
import { changeOwnAccount, type Key } from '../../core/accounts/accounts.ts';
import type { Database, Tx } from '../../core/db/database.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import { secretHash } from '../../core/kernel/ids.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { sealText, unsealText } from '../../core/kernel/sealing.ts';
import * as sql from './logins.sql.ts';
import type { OwnerCheck } from './owner-check.ts';
import { replaceRecoveryCodes } from './recovery-codes.ts';
import { stepOfCode } from './totp.ts';
import { MissingCode, WrongCode, withCount } from './wrong-codes.ts';

const SEED_BYTES = 20;

const PAUSED = 'Codes of the app are not accepted for a day after ten wrong ones. Send a recovery code.';
const LOST_SEED = 'The service cannot check codes of the app any more. Send a recovery code, then remove the app and add it again.';

/** The second factors of accounts: codes of an authenticator app (TOTP), and recovery codes. */
export type SecondFactors = ReturnType<typeof createSecondFactors>;

export function createSecondFactors(database: Database, clock: Clock, ownerCheck: OwnerCheck, secretKey: Uint8Array) {
  const key = new Uint8Array(hkdfSync('sha256', secretKey, new Uint8Array(), 'satchel totp seeds', 32));

  async function acceptCode(tx: Tx, accountId: string, seed: Uint8Array | undefined, code: string): Promise<boolean> {
    const step = seed && stepOfCode(seed, code, unixSeconds(clock));
    return step !== undefined && (await tx.run(sql.useStep, accountId, step)) === 1;
  }

  /** Returns undefined if another SECRET_KEY sealed it. Recovery codes still work then. */
  function openSeed(accountId: string, { sealed }: sql.TotpRow): Uint8Array | undefined {
    try {
      return Buffer.from(unsealText(key, sealed, accountId), 'hex');
    } catch {
      return undefined;
    }
  }

  async function findConfirmed(tx: Tx, accountId: string): Promise<sql.TotpRow | undefined> {
    const row = await tx.first(sql.findTotp, accountId);
    return row && row.confirmed_at !== null ? row : undefined;
  }

  /** Checks and uses up a code, or a recovery code, if the account has a second factor. @throws Refusal `code_required` */
  async function requireCode(tx: Tx, accountId: string, code: string | undefined): Promise<void> {
    const row = await findConfirmed(tx, accountId);
    if (!row) return;
    if (code === undefined) throw new MissingCode();
    const seed = openSeed(accountId, row);
    const isPaused = row.paused_until > unixSeconds(clock);
    if (!isPaused && (await acceptCode(tx, accountId, seed, code))) return;
    if ((await tx.run(sql.useRecoveryCode, accountId, secretHash(code))) === 1) {
      await tx.run(sql.resumeCodes, accountId);
      return;
    }
    if (isPaused) throw new Refusal('code_required', PAUSED);
    throw seed ? new WrongCode(accountId) : new Refusal('code_required', LOST_SEED);
  }

  /** Runs work that checks a code with `require`, and counts a wrong one. */
  const countingWrongCodes = <T>(work: () => Promise<T>) => withCount(database, clock, work);

  return {
    /**
     * Creates the seed of an authenticator app, which counts once it is confirmed. Also returns the e-mail of the account.
     * @throws Refusal `forbidden`, `validation_failed` if one is confirmed
     */
    begin: (by: Key, password: string) =>
      ownerCheck.withPassword(by, password, async (tx, email) => {
        const seed = randomBytes(SEED_BYTES);
        const sealed = sealText(key, seed.toString('hex'), by.accountId);
        if ((await tx.run(sql.insertTotp, by.accountId, sealed, unixSeconds(clock))) === 0)
          throw new Refusal('validation_failed', 'The account has an authenticator app. Remove it first.');
        return { seed, email };
      }),

    /** Confirms the seed with a first code. Returns the recovery codes, which are not stored. @throws Refusal `validation_failed` */
    confirm: (by: Key, code: string) =>
      changeOwnAccount(database, by, async (tx) => {
        const row = await tx.first(sql.findTotp, by.accountId);
        if (!row || row.confirmed_at !== null || !(await acceptCode(tx, by.accountId, openSeed(by.accountId, row), code)))
          throw new Refusal('validation_failed', '`code` must be a new code of the app that was added last.');
        await tx.run(sql.confirmTotp, by.accountId, unixSeconds(clock));
        return replaceRecoveryCodes(tx, by.accountId);
      }),

    /**
     * Replaces the recovery codes and returns them. They are not stored.
     * @throws Refusal `forbidden`, `validation_failed` without a confirmed app, `code_required`
     */
    renewRecoveryCodes: (by: Key, { password, code }: OwnerProof) =>
      countingWrongCodes(() =>
        ownerCheck.withPassword(by, password, async (tx) => {
          if (!(await findConfirmed(tx, by.accountId)))
            throw new Refusal('validation_failed', 'The account has no authenticator app. Add one first.');
          await requireCode(tx, by.accountId, code);
          return replaceRecoveryCodes(tx, by.accountId);
        }),
      ),

    /** Removes the app and the recovery codes. @throws Refusal `forbidden`, `code_required` */
    remove: (by: Key, { password, code }: OwnerProof) =>
      countingWrongCodes(() =>
        ownerCheck.withPassword(by, password, async (tx) => {
          await requireCode(tx, by.accountId, code);
          await tx.run(sql.deleteTotp, by.accountId);
          await tx.run(sql.deleteRecoveryCodes, by.accountId);
        }),
      ),

    require: requireCode,
    countingWrongCodes,

    /** Returns whether the account has a second factor. */
    has: async (tx: Tx, accountId: string) => (await findConfirmed(tx, accountId)) !== undefined,
  };
}

interface OwnerProof {
  readonly password: string;
  readonly code: string;
}
