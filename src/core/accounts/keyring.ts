import { periodStart, rowToLimits } from '../budgets/limits.ts';
import type { Database, SqlReader, Tx } from '../db/database.ts';
import { type ListStatements, openList } from '../db/list.ts';
import { writeRows } from '../db/row-write.ts';
import type { StoredEventType } from '../journal/event-types.ts';
import { eventRow } from '../journal/events.ts';
import { searchRows } from '../journal/search-words.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { type List, mapList } from '../kernel/list.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { RowWrite } from '../ledger/ledger.ts';
import { insertKeyLimits, type KeyLimitFields, usageOf } from '../limits/limits.ts';
import { changeOwnAccount, insertKey, type Key, type KeyOwner, lockAccount, type NewKey, statusOf } from './accounts.ts';
import type { KeyState } from './key-states.ts';
import * as sql from './keys.sql.ts';
import { KEY_KINDS, type KeyKind, newKeyText } from './keys.ts';

/** A key as the API returns it, without its secret. Times are Unix seconds. */
export type ListedKey = ReturnType<typeof listedFromRow>;

export interface KeyOrder extends NewKey {
  readonly kind: KeyKind;
  /** The limits that postings count. Absent for a rotation: those of the lineage apply. */
  readonly counted?: KeyLimitFields | undefined;
}

/** A new key, with its text, which is not stored. */
export type CreatedKey = ListedKey & { readonly key: string };

/** Returns rows to write in the transaction that creates a key, such as the outcome of an idempotent request. */
export type KeyRows = (created: CreatedKey) => readonly RowWrite[];

/** The default of active keys with a secret that an account may have, apart from those of its wallets, and each wallet. */
const MAX_ACTIVE_KEYS = 100;

/** Later than every expiry. */
const NEVER = Number.MAX_SAFE_INTEGER;

/** Manages the keys of accounts and wallets. `by` is the requesting secret API key; every change checks it in its transaction. */
export type Keyring = ReturnType<typeof createKeyring>;

export function createKeyring(database: Database, clock: Clock, maxActiveKeys = MAX_ACTIVE_KEYS) {
  async function read(queries: SqlReader, owner: KeyOwner, id: string): Promise<ListedKey> {
    const key = await readOfAccount(queries, clock, owner.accountId, id);
    if ((key.wallet_id ?? undefined) !== owner.walletId) throw new Refusal('not_found');
    return key;
  }

  /** Stores a key and writes its event. */
  async function store(tx: Tx, owner: KeyOwner, order: KeyOrder, extraRows: KeyRows): Promise<CreatedKey> {
    const key = newKeyText(order.kind);
    const id = await insertKey(tx, clock, key, owner, order);
    if (order.counted) await insertKeyLimits(tx, id, order.counted);
    const created = { ...(await read(tx, owner, id)), key };
    const words = searchRows({ id, owner: owner.accountId, text: `${created.user_label} ${created.hint.slice(-4)}` });
    await writeRows(tx, [...words, ...extraRows(created), keyEvent(clock, 'key_created', owner, created)]);
    return created;
  }

  /** Prevents a lockout: another key that can manage keys must remain, with at least the same expiry. */
  async function requireSuccessor(tx: Tx, accountId: string, key: ListedKey): Promise<void> {
    if (rowToLimits(key)) return;
    if (!(await tx.first(sql.findSuccessor, accountId, key.id, key.expires_at ?? NEVER, unixSeconds(clock)))) throw new Refusal('last_key');
  }

  function listKeys(statements: ListStatements<sql.ListedRow>, filters: readonly (string | null)[]): List<ListedKey> {
    const rows = openList(database, { statements, filters, own: periods(clock), prefix: 'key' });
    return mapList(rows, (page) => page.map((row) => listedFromRow(row, unixSeconds(clock))));
  }

  return {
    /** @throws Refusal `not_found` */
    find: (owner: KeyOwner, id: string): Promise<ListedKey> => read(database, owner, id),

    /** Returns a key of an account or of one of its wallets. @throws Refusal `not_found` */
    findOfAccount: (accountId: string, id: string): Promise<ListedKey> => readOfAccount(database, clock, accountId, id),

    /** Returns keys by their ids, in any order. */
    async findMany(ids: readonly string[]): Promise<ListedKey[]> {
      const rows = ids.length === 0 ? [] : await database.all(sql.findManyListed, ids, ...periods(clock));
      return rows.map((row) => listedFromRow(row, unixSeconds(clock)));
    },

    list({ accountId, walletId }: KeyOwner, state: KeyState = 'all') {
      const statements = walletId === undefined ? sql.lists.account[state] : sql.lists.wallet[state];
      return listKeys(statements, [walletId ?? accountId]);
    },

    /** Returns the keys with a label of all wallets of an account, or of one of them. */
    listOfWallets: ({ accountId, walletId }: KeyOwner, state: KeyState = 'all') =>
      listKeys(sql.lists.wallets[state], [accountId, walletId ?? null]),

    /** Creates a key. @throws Refusal `unauthorized`, `too_many_keys`; `forbidden` if the key would expire later than the requesting one. */
    create: (by: Key, owner: KeyOwner, order: KeyOrder, extraRows: KeyRows = () => []): Promise<CreatedKey> =>
      changeOwnAccount(database, by, async (tx) => {
        requireNoLaterExpiry(by, order.expiresAt);
        await requireFewerThan(tx, owner, maxActiveKeys);
        return store(tx, owner, order, extraRows);
      }),

    /** Replaces a key by one with the same rights and limits. The old key stays valid for `overlapSeconds`. @throws Refusal */
    rotate: (by: Key, owner: KeyOwner, id: string, overlapSeconds: number, extraRows: KeyRows = () => []): Promise<CreatedKey> =>
      changeOwnAccount(database, by, async (tx) => {
        const old = await read(tx, owner, id);
        if (old.status !== 'active' || old.replaced_by !== null || KEY_KINDS[old.kind].isPublic) throw new Refusal('key_unusable');
        if (old.kind === 'wallet_connection')
          throw new Refusal('key_unusable', 'A connected app cannot get another key. Revoke the connection, and connect the app again.');
        const { kind, user_label: label, lineage_id: lineageId, expires_at } = old;
        const expiresAt = expires_at ?? undefined;
        requireNoLaterExpiry(by, expiresAt);
        // Every key can be rotated, but keys in their overlap are active, too.
        await requireFewerThan(tx, owner, 2 * maxActiveKeys);
        const created = await store(tx, owner, { kind, lineageId, label, expiresAt, limits: rowToLimits(old) }, extraRows);
        const now = unixSeconds(clock);
        // Without an overlap the key is revoked instead of expired, because the clock of the database may differ.
        const ends = overlapSeconds === 0 ? [expires_at, now] : [Math.min(expires_at ?? NEVER, now + overlapSeconds), null];
        await tx.run(sql.replaceKey, id, created.id, ...ends);
        if (overlapSeconds === 0) await writeRows(tx, [keyEvent(clock, 'key_revoked', owner, old)]);
        return created;
      }),

    /** Revokes a key. When it returns, the key can no longer be used. @throws Refusal `last_key`, `key_unusable`, `not_found` */
    revoke: (by: Key, owner: KeyOwner, id: string): Promise<ListedKey> =>
      changeOwnAccount(database, by, async (tx) => {
        const key = await read(tx, owner, id);
        if (KEY_KINDS[key.kind].isPublic)
          throw new Refusal('key_unusable', 'A public key is an identifier without rights; it cannot be revoked.');
        if (key.kind === 'secret_api' && key.status === 'active') await requireSuccessor(tx, owner.accountId, key);
        const revoked = await tx.run(sql.revokeKey, id, unixSeconds(clock));
        const after = await read(tx, owner, id);
        if (revoked > 0) await writeRows(tx, [keyEvent(clock, 'key_revoked', owner, after)]);
        return after;
      }),
  };
}

/** @throws Refusal `not_found` */
async function readOfAccount(queries: SqlReader, clock: Clock, accountId: string, id: string): Promise<ListedKey> {
  const row = await queries.first(sql.findListed, id, ...periods(clock));
  if (row?.account_id !== accountId) throw new Refusal('not_found');
  return listedFromRow(row, unixSeconds(clock));
}

/** Otherwise the limits per key would limit no account. @throws Refusal `too_many_keys` */
async function requireFewerThan(tx: Tx, { accountId, walletId }: KeyOwner, max: number): Promise<void> {
  const statement = walletId === undefined ? sql.countActiveOfAccount : sql.countActiveOfWallet;
  const counted = await tx.first(statement, walletId ?? accountId, max);
  if ((counted?.n ?? 0) >= max)
    throw new Refusal('too_many_keys', `There are ${max} active keys, the maximum for ${walletId ?? 'the account'}. Revoke one first.`);
}

/**
 * Creates a secret API key without limits for an account whose keys are lost. Write access to the database is the authorization. Existing
 * keys are not changed.
 * @returns the id and the text of the key, which is not stored; undefined for an unknown account.
 */
export function replaceLostKey(database: Database, clock: Clock, accountId: string): Promise<{ id: string; text: string } | undefined> {
  return database.transaction(async (tx) => {
    if (!(await lockAccount(tx, accountId))) return undefined;
    const text = newKeyText('secret_api');
    const id = await insertKey(tx, clock, text, { accountId, walletId: undefined }, { label: 'made by the operator' });
    return { id, text };
  });
}

/** The event belongs to the account also if the key is one of a wallet, whose other keys must not read about it. */
function keyEvent(clock: Clock, type: StoredEventType, { accountId }: KeyOwner, key: ListedKey): RowWrite {
  const { id, kind, wallet_id, user_label, hint } = key;
  return eventRow(clock, { type, owner: { accountId }, subject: id, data: { key: { id, kind, wallet_id, user_label, hint } } });
}

/** An expiring key may not create a key that expires later. */
function requireNoLaterExpiry(by: Key, expiresAt: number | undefined): void {
  if (by.expiresAt === undefined || (expiresAt ?? NEVER) <= by.expiresAt) return;
  throw new Refusal(
    'forbidden',
    'The requesting key expires, so it can only create keys that expire no later. Send `expires_at` or `expiry`.',
  );
}

function periods(clock: Clock): [day: number, week: number, month: number] {
  const now = unixSeconds(clock);
  return [periodStart('day', now), periodStart('week', now), periodStart('month', now)];
}

function listedFromRow({ public_text, last_four, ...listed }: sql.ListedRow, nowSeconds: number) {
  const row = withUsage(listed, nowSeconds);
  /** An abbreviation such as `waka_…wxyz`; the whole text of a public key. */
  const hint = public_text ?? `${KEY_KINDS[row.kind].prefixes[0]}_…${last_four ?? ''}`;
  return { ...row, hint, status: statusOf(row, nowSeconds) };
}

/** Replaces the counters of a lineage by what they mean now. */
function withUsage(listed: Omit<sql.ListedRow, 'public_text' | 'last_four'>, nowSeconds: number) {
  const { pending_msat, pending_count, day_start, day_msat, month_start, month_msat, minute_start, minute_count, ...row } = listed;
  const counters = { pending_msat, pending_count, day_start, day_msat, month_start, month_msat, minute_start, minute_count };
  return { ...row, ...(row.has_counters === 1 ? usageOf(counters, nowSeconds) : NO_USAGE) };
}

const NO_USAGE = { out_day_msat: null, out_month_msat: null, payments_this_minute: null, pending_payments: null };
