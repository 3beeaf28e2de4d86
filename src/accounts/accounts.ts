import { type KeyLimits, rowToLimits } from '../budgets/limits.ts';
import type { Database, Tx } from '../db/database.ts';
import { writeFact } from '../db/facts.sql.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { Refusal } from '../kernel/refusal.ts';
import { SHORT_TTL, TtlCache } from '../kernel/ttl-cache.ts';
import type { Guard } from '../ledger/ledger.ts';
import * as sql from './accounts.sql.ts';
import { KEY_KINDS, type KeyKind, lastFourOf, newKeyText, type ParsedKey, parseKey } from './keys.ts';

/** A key that exists: whose it is, and the one wallet it is for, if any. */
export interface Key {
  readonly id: string;
  readonly kind: KeyKind;
  readonly accountId: string;
  readonly walletId: string | undefined;
  /** The key that it, or what it replaced, first was. */
  readonly lineageId: string;
  /** Unix seconds. */
  readonly expiresAt: number | undefined;
  readonly limits: KeyLimits | undefined;
}

/**
 * Makes a posting depend on a key: it is refused when the key is revoked or expired by then. Reads of keys may lag a second, money may not.
 */
export function keyGuard(key: Key): Guard {
  return { statement: sql.validKeys, id: key.id, onMiss: () => new Refusal('unauthorized', 'The API key is revoked or expired.') };
}

/**
 * Makes a posting depend on the authority that a key once gave: that it, or what replaced it in a rotation, is still valid.
 */
export function lineageGuard(key: Key, onMiss: () => Error): Guard {
  return { statement: sql.validLineages, id: key.lineageId, onMiss };
}

/** The keys of a new account, shown this once. */
export interface AccountKeys {
  readonly accountId: string;
  readonly secretKey: string;
  readonly publicKey: string;
}

/** Accounts (logins) and the keys of accounts and wallets. */
export interface Accounts {
  /** Finds the key that a text presents; undefined for an unknown one, whatever is wrong with it. */
  find(text: string): Promise<Key | undefined>;
  /** A key by its id, also one that is revoked or expired. */
  findById(id: string): Promise<Key | undefined>;
  /** Whether this key, or what replaced it in a rotation, is valid. */
  isLineageValid(key: Key): Promise<boolean>;
  /** The public key of a kind that names a wallet in links. */
  publicKeyOfWallet(walletId: string, kind: 'wallet_lnurl_withdraw' | 'wallet_lnurl_pay'): Promise<string | undefined>;
  /**
   * Makes sure that there is an account to begin with: the one of `secretKey` if given, otherwise a first one.
   * `keep` gets the keys of an account that is being created before it exists for good, so that they cannot be lost.
   * @returns its keys when it was created now.
   * @throws Error when `secretKey` is not a `sak_` key of at least 20 characters after the prefix.
   */
  bootstrap(secretKey: string | undefined, keep: (keys: AccountKeys) => Promise<void>): Promise<AccountKeys | undefined>;
}

export function createAccounts(database: Database, clock: Clock): Accounts {
  const known = new TtlCache<Key>(SHORT_TTL);

  async function load({ kind, hash }: ParsedKey): Promise<Key | undefined> {
    const row = await database.first(sql.findKey, kind, bytes(hash));
    return row && toKey(row);
  }

  return {
    async find(text) {
      const presented = parseKey(text);
      // Kept by the hash: the cache holds no secrets.
      return presented && known.get(`${presented.kind} ${presented.hash}`, () => load(presented));
    },
    async findById(id) {
      const row = await database.first(sql.findKeyById, id);
      return row && toKey(row);
    },
    isLineageValid: async (key) => (await database.first(sql.findValidOfLineage, key.lineageId)) !== undefined,
    async publicKeyOfWallet(walletId, kind) {
      return (await database.first(sql.findPublicKeyOfWallet, walletId, kind))?.public_text;
    },
    bootstrap: (secretKey, keep) =>
      database.transaction(async (tx) => {
        // Instances that start together do this one after the other: the row is locked until the commit.
        await tx.run(writeFact, 'bootstrap', 'done');
        const keys = await bootstrap(tx, clock, secretKey);
        if (keys) await keep(keys);
        return keys;
      }),
  };
}

function bytes(hex: string): Uint8Array {
  return Buffer.from(hex, 'hex');
}

async function bootstrap(tx: Tx, clock: Clock, secretKey: string | undefined): Promise<AccountKeys | undefined> {
  if (secretKey === undefined) {
    const accounts = await tx.first(sql.countAccounts);
    return accounts?.n === 0 ? createAccount(tx, clock, newKeyText('secret_api')) : undefined;
  }
  const presented = parseKey(secretKey);
  if (presented?.kind !== 'secret_api' || secretKey.length < 'sak_'.length + 20) {
    throw new Error('BOOTSTRAP_SECRET_KEY must be sak_ followed by at least 20 random letters and digits');
  }
  // One that was revoked since stays revoked: the setting makes keys, it does not bring them back.
  const existing = await tx.first(sql.knowsKey, presented.kind, bytes(presented.hash));
  return existing ? undefined : createAccount(tx, clock, secretKey);
}

async function createAccount(tx: Tx, clock: Clock, secretKey: string): Promise<AccountKeys> {
  const accountId = `acc_${newId(clock.nowMs())}`;
  const publicKey = newKeyText('public_api');
  await tx.run(sql.insertAccount, accountId, unixSeconds(clock));
  await insertKey(tx, clock, secretKey, { accountId, walletId: undefined });
  await insertKey(tx, clock, publicKey, { accountId, walletId: undefined });
  return { accountId, secretKey, publicKey };
}

/** What a new key is besides its text. */
export interface NewKey {
  readonly accountId: string;
  readonly walletId: string | undefined;
  readonly label?: string | undefined;
  readonly expiresAt?: number | undefined;
  /** The line that it goes on, when it replaces a key. */
  readonly lineageId?: string | undefined;
  readonly limits?: Pick<KeyLimits, 'budget' | 'maxPaymentMsat'> | undefined;
}

/** Stores a key: its hash, and its text only where the kind is public. @returns its id. */
export async function insertKey(tx: Tx, clock: Clock, text: string, key: NewKey): Promise<string> {
  const presented = parseKey(text);
  if (!presented) throw new Error('not a key');
  const id = `key_${newId(clock.nowMs())}`;
  const publicText = KEY_KINDS[presented.kind].isPublic ? text : null;
  const named = [id, key.lineageId ?? id, presented.kind, bytes(presented.hash), publicText, lastFourOf(text) ?? null];
  const owner = [key.accountId, key.walletId ?? null, key.label ?? ''];
  const { budget, maxPaymentMsat } = key.limits ?? {};
  const limits = [budget?.amountMsat ?? null, budget?.period ?? null, maxPaymentMsat ?? null];
  await tx.run(sql.insertKey, ...named, ...owner, ...limits, unixSeconds(clock), key.expiresAt ?? null);
  return id;
}

function toKey(row: sql.KeyRow): Key {
  return {
    id: row.id,
    kind: row.kind,
    accountId: row.account_id,
    walletId: row.wallet_id ?? undefined,
    lineageId: row.line_id,
    expiresAt: row.expires_at ?? undefined,
    limits: rowToLimits(row),
  };
}
