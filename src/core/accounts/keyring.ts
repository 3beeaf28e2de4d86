import { type KeyLimits, periodStart, rowToLimits } from '../budgets/limits.ts';
import type { Database, SqlReader, Tx } from '../db/database.ts';
import { openList } from '../db/list.ts';
import { writeRows } from '../db/row-write.ts';
import type { StoredEventType } from '../journal/event-types.ts';
import { eventRow } from '../journal/events.ts';
import { searchRows } from '../journal/search-words.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import type { List } from '../kernel/list.ts';
import { type Msat, msat, ZERO_MSAT } from '../kernel/money.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { RowWrite } from '../ledger/ledger.ts';
import { changeOwnAccount, insertKey, type Key, lockAccount, type NewKey } from './accounts.ts';
import * as sql from './keys.sql.ts';
import { KEY_KINDS, type KeyKind, newKeyText } from './keys.ts';

/** The owner of keys: an account, or one of its wallets. */
export interface KeyOwner {
  readonly accountId: string;
  readonly walletId: string | undefined;
}

/** A key in a list, without its secret. Times are Unix seconds. */
export interface ListedKey {
  readonly id: string;
  readonly lineageId: string;
  readonly kind: KeyKind;
  readonly walletId: string | undefined;
  readonly label: string;
  /** An abbreviation such as `waka_…wxyz`; the whole text of a public key. */
  readonly hint: string;
  readonly status: 'active' | 'expired' | 'revoked';
  readonly limits: KeyLimits | undefined;
  /** The spending of the whole lineage in the present budget period. */
  readonly spentMsat: Msat;
  readonly pendingMsat: Msat;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly revokedAt: number | undefined;
  /** The key that replaced this one in a rotation. */
  readonly replacedBy: string | undefined;
  /** The time of the last request that was authenticated with it, in Unix seconds; up to a minute late. */
  readonly lastUsedAt: number | undefined;
}

export interface KeyOrder {
  readonly kind: KeyKind;
  readonly label: string;
  /** Unix seconds. */
  readonly expiresAt: number | undefined;
  readonly limits: NewKey['limits'];
}

/** A new key and its text, which is not stored. */
export interface CreatedKey {
  readonly key: ListedKey;
  readonly text: string;
}

/** Returns rows to write in the transaction that creates a key, such as the outcome of an idempotent request. */
export type KeyRows = (created: CreatedKey) => readonly RowWrite[];

/** Later than every expiry. */
const NEVER = Number.MAX_SAFE_INTEGER;

/** Manages the keys of accounts and wallets. `by` is the requesting secret API key; every change checks it in its transaction. */
export type Keyring = ReturnType<typeof createKeyring>;

export function createKeyring(database: Database, clock: Clock) {
  async function read(queries: SqlReader, owner: KeyOwner, id: string): Promise<ListedKey> {
    const row = await queries.first(sql.findListed, id, ...periods(clock));
    const isOwners = row?.account_id === owner.accountId && (row.wallet_id ?? undefined) === owner.walletId;
    if (!row || !isOwners) throw new Refusal('not_found');
    return rowToListed(row, unixSeconds(clock));
  }

  /** Stores a key and writes its event. */
  async function store(tx: Tx, owner: KeyOwner, order: KeyOrder & { lineageId?: string }, extraRows: KeyRows): Promise<CreatedKey> {
    const text = newKeyText(order.kind);
    const id = await insertKey(tx, clock, text, { ...owner, ...order });
    const created = { key: await read(tx, owner, id), text };
    const words = searchRows({ id, owner: owner.accountId, text: `${created.key.label} ${created.key.hint.slice(-4)}` });
    await writeRows(tx, [...words, ...extraRows(created), keyEvent(clock, 'key_created', owner, created.key)]);
    return created;
  }

  /** Prevents a lockout: another key that can manage keys must remain, with at least the same expiry. */
  async function requireSuccessor(tx: Tx, accountId: string, { id, expiresAt, limits }: ListedKey): Promise<void> {
    if (limits) return;
    if (!(await tx.first(sql.findSuccessor, accountId, id, expiresAt ?? NEVER, unixSeconds(clock)))) throw new Refusal('last_key');
  }

  return {
    /** @throws Refusal `not_found` */
    find: (owner: KeyOwner, id: string): Promise<ListedKey> => read(database, owner, id),

    list: ({ accountId, walletId }: KeyOwner): List<ListedKey> =>
      openList(database, {
        statements: walletId === undefined ? sql.listOfAccount : sql.listOfWallet,
        filters: [walletId ?? accountId],
        own: periods(clock),
        prefix: 'key',
        toItem: (row) => rowToListed(row, unixSeconds(clock)),
      }),

    /** Creates a key. @throws Refusal `unauthorized`; `forbidden` if the key would expire later than the requesting one. */
    create: (by: Key, owner: KeyOwner, order: KeyOrder, extraRows: KeyRows = () => []): Promise<CreatedKey> =>
      changeOwnAccount(database, by, async (tx) => {
        requireNoLaterExpiry(by, order.expiresAt);
        return store(tx, owner, order, extraRows);
      }),

    /** Replaces a key by one with the same rights and limits. The old key stays valid for `overlapSeconds`. @throws Refusal */
    rotate: (by: Key, owner: KeyOwner, id: string, overlapSeconds: number, extraRows: KeyRows = () => []): Promise<CreatedKey> =>
      changeOwnAccount(database, by, async (tx) => {
        const old = await read(tx, owner, id);
        if (old.status !== 'active' || old.replacedBy !== undefined || KEY_KINDS[old.kind].isPublic) throw new Refusal('key_unusable');
        requireNoLaterExpiry(by, old.expiresAt);
        const { kind, lineageId, label, expiresAt, limits } = old;
        const created = await store(tx, owner, { kind, lineageId, label, expiresAt, limits }, extraRows);
        const now = unixSeconds(clock);
        // Without an overlap the key is revoked instead of expired, because the clock of the database may differ.
        const ends = overlapSeconds === 0 ? [expiresAt ?? null, now] : [Math.min(expiresAt ?? NEVER, now + overlapSeconds), null];
        await tx.run(sql.replaceKey, id, created.key.id, ...ends);
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

/**
 * Creates a secret API key without limits for an account whose keys are lost. Write access to the database is the authorization. Existing
 * keys are not changed.
 * @returns the id and the text of the key, which is not stored; undefined for an unknown account.
 */
export function replaceLostKey(database: Database, clock: Clock, accountId: string): Promise<{ id: string; text: string } | undefined> {
  return database.transaction(async (tx) => {
    if (!(await lockAccount(tx, accountId))) return undefined;
    const text = newKeyText('secret_api');
    const id = await insertKey(tx, clock, text, { accountId, walletId: undefined, label: 'made by the operator' });
    return { id, text };
  });
}

/** The event belongs to the account also if the key is one of a wallet, whose other keys must not read about it. */
function keyEvent(clock: Clock, type: StoredEventType, { accountId }: KeyOwner, { id, kind, walletId, label, hint }: ListedKey): RowWrite {
  const key = { id, kind, wallet_id: walletId ?? null, label, hint };
  return eventRow(clock, { type, owner: { accountId }, subject: id, data: { key } });
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

function rowToListed(row: sql.ListedRow, nowSeconds: number): ListedKey {
  const isExpired = row.expires_at !== null && row.expires_at <= nowSeconds;
  return {
    id: row.id,
    lineageId: row.lineage_id,
    kind: row.kind,
    walletId: row.wallet_id ?? undefined,
    label: row.label,
    hint: row.public_text ?? `${KEY_KINDS[row.kind].prefixes[0]}_…${row.last_four ?? ''}`,
    status: row.revoked_at !== null ? 'revoked' : isExpired ? 'expired' : 'active',
    limits: rowToLimits(row),
    spentMsat: row.spent_msat === null ? ZERO_MSAT : msat(row.spent_msat),
    pendingMsat: row.pending_msat === null ? ZERO_MSAT : msat(row.pending_msat),
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    replacedBy: row.replaced_by ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
  };
}
