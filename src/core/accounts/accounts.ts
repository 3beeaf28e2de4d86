import { type KeyLimits, rowToLimits } from '../budgets/limits.ts';
import type { Database, Tx } from '../db/database.ts';
import { writeFact } from '../db/facts.sql.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { Refusal } from '../kernel/refusal.ts';
import { SHORT_TTL, TtlCache } from '../kernel/ttl-cache.ts';
import { type Guard, type RowWrite, requireGuards } from '../ledger/ledger.ts';
import * as sql from './accounts.sql.ts';
import * as keySql from './keys.sql.ts';
import { KEY_KINDS, type KeyKind, lastFourOf, newKeyText, parseKey } from './keys.ts';
import { validSessions } from './sessions.sql.ts';

/** A stored key, with its account and, for a wallet key, its wallet. */
export interface Key {
  readonly id: string;
  readonly kind: KeyKind;
  readonly accountId: string;
  readonly walletId: string | undefined;
  /** The id of the first key of its lineage: the key and its predecessors in rotations. */
  readonly lineageId: string;
  /** Unix seconds. */
  readonly expiresAt: number | undefined;
  readonly limits: KeyLimits | undefined;
  /** Whether it stands for a session, which has the rights of a secret API key; `id` is then that of the session. */
  readonly isSession?: boolean;
  /** Whether the request changes what the account has, apart from its money. {@link keyGuards} then check the state of the account. */
  readonly isManaging?: boolean;
}

/**
 * Returns a guard that rejects a posting if the key or session is revoked or expired at its commit. Keys are read from a cache that may be one second old;
 * the guard reads the database.
 */
export function keyGuard(key: Key): Guard {
  if (key.isSession)
    return { statement: validSessions, id: key.id, onMiss: () => new Refusal('unauthorized', 'The session has ended. Log in again.') };
  return { statement: keySql.validKeys, id: key.id, onMiss: () => new Refusal('unauthorized', 'The API key is revoked or expired.') };
}

/**
 * Returns the guards of a change that a key or session requests: {@link keyGuard} and, for a request that manages something, the state of its account,
 * which may have changed since the request was authenticated.
 */
export function keyGuards(key: Key): Guard[] {
  if (!key.isManaging) return [keyGuard(key)];
  return [keyGuard(key), { statement: sql.managingAccounts, id: key.accountId, onMiss: () => new Refusal('account_restricted') }];
}

/** Returns a guard that rejects a posting unless a key of the lineage is valid. */
export function lineageGuard(key: Key, onMiss: () => Error): Guard {
  return { statement: keySql.validLineages, id: key.lineageId, onMiss };
}

/** Returns what a payment or transfer needs of the key that requests it: its limits, and its lineage, which a session does not have. */
export function termsOfKey({ limits, lineageId, isSession }: Key): { limits: Key['limits']; lineageId: string | undefined } {
  return { limits, lineageId: isSession ? undefined : lineageId };
}

/** The keys of a new account. They are returned only once. */
export interface AccountKeys {
  readonly accountId: string;
  readonly secretKey: string;
  readonly publicKey: string;
}

/** Accounts (logins) and the keys of accounts and wallets. */
export type Accounts = ReturnType<typeof createAccounts>;

export function createAccounts(database: Database, clock: Clock) {
  const cache = new TtlCache<Key>(SHORT_TTL);

  return {
    /** Returns the valid key with this text; undefined if it is malformed, unknown, revoked or expired. */
    async find(text: string): Promise<Key | undefined> {
      const parsed = parseKey(text);
      if (!parsed) return undefined;
      const { kind, hash } = parsed;
      // The cache is keyed by the hash, so it contains no secret.
      return cache.get(`${kind} ${hash}`, async () => keyFromRow(await database.first(keySql.findKey, kind, Buffer.from(hash, 'hex'))));
    },

    /** Returns a key by its id, also a revoked or expired one. */
    findById: async (id: string) => keyFromRow(await database.first(keySql.findKeyById, id)),

    /** Returns a valid key by its id. Reads the database every time. */
    findValid: async (id: string) => keyFromRow(await database.first(keySql.findValidKeyById, id)),

    /** Returns whether a key of the same lineage is valid. */
    isLineageValid: async (key: Key) => (await database.first(keySql.findValidOfLineage, key.lineageId)) !== undefined,

    /**
     * Creates the account of `secretKey` unless it exists; without `secretKey`, creates the first account unless there is one.
     * `store` gets the keys before the commit, so that they cannot be lost.
     * @returns the keys if an account was created.
     * @throws Error if `secretKey` is not a `sak_` key with at least 20 characters after the prefix.
     */
    bootstrap: (secretKey: string | undefined, store: (keys: AccountKeys) => Promise<void>) =>
      database.transaction(async (tx) => {
        // The row is locked until the commit, so instances that start at the same time take turns.
        await tx.run(writeFact, 'bootstrap', 'done');
        const keys = await bootstrap(tx, clock, secretKey);
        if (keys) await store(keys);
        return keys;
      }),
  };
}

/** Locks an account until the transaction ends, so that its keys and its ways to log in change one at a time. @returns whether it exists */
export async function lockAccount(tx: Tx, accountId: string): Promise<boolean> {
  return (await tx.first(sql.lockAccount, accountId)) !== undefined;
}

/**
 * Runs a transaction that changes keys or logins of the account of `by`; one at a time per account.
 * @throws Refusal `unauthorized` if the key or session is revoked or expired, `account_restricted`
 */
export function changeOwnAccount<T>(database: Database, by: Key, work: (tx: Tx) => Promise<T>): Promise<T> {
  return database.transaction(async (tx) => {
    await lockAccount(tx, by.accountId);
    await requireGuards(tx, keyGuards(by));
    return work(tx);
  });
}

async function bootstrap(tx: Tx, clock: Clock, chosenKey: string | undefined): Promise<AccountKeys | undefined> {
  const exists = chosenKey === undefined ? (await tx.first(sql.countAccounts))?.n !== 0 : await knowsSecretKey(tx, chosenKey);
  if (exists) return undefined;
  const secretKey = chosenKey ?? newKeyText('secret_api');
  return { ...(await openAccount(tx, clock, secretKey)), secretKey };
}

/** Returns whether a key was created before. One that was revoked stays revoked. */
async function knowsSecretKey(tx: Tx, text: string): Promise<boolean> {
  const parsed = parseKey(text);
  if (parsed?.kind !== 'secret_api' || text.length < 'sak_'.length + 20) {
    throw new Error('BOOTSTRAP_SECRET_KEY must be sak_ followed by at least 20 random letters and digits');
  }
  return (await tx.first(keySql.knowsKey, parsed.kind, Buffer.from(parsed.hash, 'hex'))) !== undefined;
}

/** Creates an account with a public key, and with a secret API key if its text is given. */
export async function openAccount(tx: Tx, clock: Clock, secretKey?: string): Promise<{ accountId: string; publicKey: string }> {
  const accountId = `acc_${newId(clock.nowMs())}`;
  const publicKey = newKeyText('public_api');
  const owner = { accountId, walletId: undefined };
  await tx.run(sql.insertAccount, accountId, unixSeconds(clock));
  await insertKey(tx, clock, publicKey, owner);
  if (secretKey !== undefined) await insertKey(tx, clock, secretKey, owner);
  return { accountId, publicKey };
}

/** The owner of keys: an account, or one of its wallets. */
export interface KeyOwner {
  readonly accountId: string;
  readonly walletId: string | undefined;
}

/** The fields of a new key, without its text. */
export interface NewKey {
  readonly label?: string | undefined;
  /** Unix seconds. */
  readonly expiresAt?: number | undefined;
  /** The lineage, if the key replaces another key. */
  readonly lineageId?: string | undefined;
  readonly limits?: Omit<KeyLimits, 'lineageId'> | undefined;
}

/** Stores the hash of a key, and its text if the kind is public. @returns the id of the key. */
export async function insertKey(tx: Tx, clock: Clock, text: string, owner: KeyOwner, key: NewKey = {}): Promise<string> {
  const { id, row } = newKeyRow(clock, text, owner, key);
  await tx.run(row.statement, ...row.parameters);
  return id;
}

/** Returns the id and the row of a new key. Only the hash of a secret text is in the row. */
export function newKeyRow(clock: Clock, text: string, owner: KeyOwner, key: NewKey = {}): { id: string; row: RowWrite } {
  const parsed = parseKey(text);
  if (!parsed) throw new Error('the text is not a key');
  const { kind, hash } = parsed;
  const id = `key_${newId(clock.nowMs())}`;
  const publicText = KEY_KINDS[kind].isPublic ? text : null;
  const named = [id, key.lineageId ?? id, kind, Buffer.from(hash, 'hex'), publicText, lastFourOf(kind, text) ?? null];
  const { budget, maxPaymentMsat } = key.limits ?? {};
  const limits = [budget?.amountMsat ?? null, budget?.period ?? null, maxPaymentMsat ?? null];
  const times = [unixSeconds(clock), key.expiresAt ?? null];
  const parameters = [...named, owner.accountId, owner.walletId ?? null, key.label ?? '', ...limits, ...times];
  return { id, row: { statement: keySql.insertKey, parameters, onMiss: () => new Error('the key was not stored') } };
}

/** Only an `active` key or session is accepted. */
export const SECRET_STATUSES = ['active', 'expired', 'revoked'] as const;
type SecretStatus = (typeof SECRET_STATUSES)[number];

export function statusOf(row: { revoked_at: number | null; expires_at: number | null }, nowSeconds: number): SecretStatus {
  if (row.revoked_at !== null) return 'revoked';
  return row.expires_at !== null && row.expires_at <= nowSeconds ? 'expired' : 'active';
}

function keyFromRow(row: keySql.KeyRow | undefined): Key | undefined {
  if (!row) return undefined;
  return {
    id: row.id,
    kind: row.kind,
    accountId: row.account_id,
    walletId: row.wallet_id ?? undefined,
    lineageId: row.lineage_id,
    expiresAt: row.expires_at ?? undefined,
    limits: rowToLimits(row),
  };
}
