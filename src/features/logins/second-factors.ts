import { hash, hkdfSync, randomBytes } from 'node:crypto';
import type { SqlReader, Tx } from '../../core/db/database.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import { randomText } from '../../core/kernel/ids.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { sealText, unsealText } from '../../core/kernel/sealing.ts';
import * as sql from './logins.sql.ts';
import { stepOfCode } from './totp.ts';

const SEED_BYTES = 20;
const RECOVERY_CODES = 10;
/** 71 random bits, so a fast hash is safe. */
const RECOVERY_CODE_LENGTH = 12;

const WRONG_CODE = '`code` is wrong, or was used before. Wait for the next code of the app.';
const LOST_SEED = 'The service cannot check codes of the app any more. Send a recovery code, then remove the app and add it again.';

/** The second factors of accounts: codes of an authenticator app (TOTP), and recovery codes. */
export type SecondFactors = ReturnType<typeof createSecondFactors>;

/** `secretKey`: the bytes of SECRET_KEY. */
export function createSecondFactors(database: SqlReader, clock: Clock, secretKey: Uint8Array) {
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
    if (code === undefined) throw new Refusal('code_required');
    const seed = openSeed(accountId, row);
    if (await acceptCode(tx, accountId, seed, code)) return;
    if ((await tx.run(sql.useRecoveryCode, accountId, recoveryHash(code))) === 0)
      throw new Refusal('code_required', seed ? WRONG_CODE : LOST_SEED);
  }

  return {
    /** Creates a seed, which counts once it is confirmed. @throws Refusal `validation_failed` if one is confirmed */
    async begin(tx: Tx, accountId: string): Promise<Uint8Array> {
      const seed = randomBytes(SEED_BYTES);
      const sealed = sealText(key, seed.toString('hex'), accountId);
      if ((await tx.run(sql.insertTotp, accountId, sealed, unixSeconds(clock))) === 0)
        throw new Refusal('validation_failed', 'The account has an authenticator app. Remove it first.');
      return seed;
    },

    /** Confirms the seed with a first code. Returns the recovery codes, which are not stored. @throws Refusal `validation_failed` */
    async confirm(tx: Tx, accountId: string, code: string): Promise<string[]> {
      const row = await tx.first(sql.findTotp, accountId);
      if (!row || row.confirmed_at !== null || !(await acceptCode(tx, accountId, openSeed(accountId, row), code)))
        throw new Refusal('validation_failed', '`code` must be a new code of the app that was added last.');
      await tx.run(sql.confirmTotp, accountId, unixSeconds(clock));
      return replaceRecoveryCodes(tx, accountId);
    },

    /** Replaces the recovery codes. They are not stored. @throws Refusal `validation_failed` without a confirmed app, `code_required` */
    async renewRecoveryCodes(tx: Tx, accountId: string, code: string): Promise<string[]> {
      if (!(await findConfirmed(tx, accountId)))
        throw new Refusal('validation_failed', 'The account has no authenticator app. Add one first.');
      await requireCode(tx, accountId, code);
      return replaceRecoveryCodes(tx, accountId);
    },

    /** Returns the number of unused recovery codes; undefined if the account has no second factor. */
    countRecoveryCodes: async (accountId: string) => (await database.first(sql.countRecoveryCodes, accountId))?.n,

    require: requireCode,

    /** Returns whether the account has a second factor. */
    has: async (tx: Tx, accountId: string) => (await findConfirmed(tx, accountId)) !== undefined,
  };
}

async function replaceRecoveryCodes(tx: Tx, accountId: string): Promise<string[]> {
  await tx.run(sql.deleteRecoveryCodes, accountId);
  const codes = Array.from({ length: RECOVERY_CODES }, () => randomText(RECOVERY_CODE_LENGTH));
  for (const one of codes) await tx.run(sql.insertRecoveryCode, accountId, recoveryHash(one));
  return codes;
}

/** Removes the second factor of an account. */
export async function removeSecondFactor(tx: Tx, accountId: string): Promise<void> {
  await tx.run(sql.deleteTotp, accountId);
  await tx.run(sql.deleteRecoveryCodes, accountId);
}

function recoveryHash(code: string): Uint8Array {
  return hash('sha256', code, 'buffer');
}
