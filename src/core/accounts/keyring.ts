import { type KeyLimits, periodStart } from '../budgets/limits.ts';
import type { Database, SqlReader, Tx } from '../db/database.ts';
import { writeRows } from '../db/row-write.ts';
import type { StoredEventType } from '../journal/event-types.ts';
import { eventRow } from '../journal/events.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { Refusal } from '../kernel/refusal.ts';
import { type RowWrite, requireGuards } from '../ledger/ledger.ts';
import { insertKey, type Key, keyGuard } from './accounts.ts';
import * as sql from './keyring.sql.ts';
import { KEY_KINDS, type KeyKind, newKeyText } from './keys.ts';
import { type ListedKey, rowToListed } from './listed-key.ts';

/** The owner of keys: an account, or one of its wallets. */
export interface KeyOwner {
  readonly accountId: string;
  readonly walletId: string | undefined;
}

export interface KeyOrder {
  readonly kind: KeyKind;
  readonly label: string;
  /** Unix seconds. */
  readonly expiresAt: number | undefined;
  readonly limits: Pick<KeyLimits, 'budget' | 'maxPaymentMsat'> | undefined;
}

/** A new key and its text, which is not stored. */
export interface CreatedKey {
  readonly key: ListedKey;
  readonly text: string;
}

/** Returns rows to write in the transaction that creates a key, such as the outcome of an idempotent request. */
export type KeyRows = (created: CreatedKey) => readonly RowWrite[];

/**
 * Manages the keys of accounts and wallets. `by` is the requesting secret API key; every change checks it in its transaction.
 */
export interface Keyring {
  /** @throws Refusal `not_found` */
  find(owner: KeyOwner, id: string): Promise<ListedKey>;
  /** Returns a page of keys, newest first, and their number. */
  list(owner: KeyOwner, limit: number, offset: number): Promise<{ keys: ListedKey[]; total: number }>;
  /** Creates a key. @throws Refusal `unauthorized`; `forbidden` if the key would expire later than the requesting one. */
  create(by: Key, owner: KeyOwner, order: KeyOrder, extraRows?: KeyRows): Promise<CreatedKey>;
  /** Replaces a key by one with the same rights and limits. The old key stays valid for `overlapSeconds`. @throws Refusal */
  rotate(by: Key, owner: KeyOwner, id: string, overlapSeconds: number, extraRows?: KeyRows): Promise<CreatedKey>;
  /** Revokes a key. When it returns, the key can no longer be used. @throws Refusal `last_key`, `key_unusable`, `not_found` */
  revoke(by: Key, owner: KeyOwner, id: string): Promise<ListedKey>;
}

/** Later than every expiry. */
const NEVER = Number.MAX_SAFE_INTEGER;

export function createKeyring(database: Database, clock: Clock): Keyring {
  /** Runs a transaction that changes keys of an account; one at a time per account. */
  function changeKeys<T>(by: Key, work: (tx: Tx) => Promise<T>): Promise<T> {
    return database.transaction(async (tx) => {
      await tx.first(sql.lockAccount, by.accountId);
      await requireGuards(tx, [keyGuard(by)]);
      return work(tx);
    });
  }

  async function read(tx: SqlReader, owner: KeyOwner, id: string): Promise<ListedKey> {
    const row = await tx.first(sql.findListed, ...periods(clock), id);
    const isOwners = row?.account_id === owner.accountId && (row.wallet_id ?? undefined) === owner.walletId;
    if (!row || !isOwners) throw new Refusal('not_found');
    return rowToListed(row, unixSeconds(clock));
  }

  async function createdKey(tx: Tx, owner: KeyOwner, id: string, text: string, extraRows: KeyRows = () => []): Promise<CreatedKey> {
    const one = { key: await read(tx, owner, id), text };
    await writeRows(tx, [...extraRows(one), keyEvent(clock, 'key_created', owner, one.key)]);
    return one;
  }

  return {
    find: (owner, id) => read(database, owner, id),
    async list({ accountId, walletId }, limit, offset) {
      const ofWallet = walletId !== undefined;
      const owner = walletId ?? accountId;
      const rows = await database.all(ofWallet ? sql.listOfWallet : sql.listOfAccount, ...periods(clock), owner, limit, offset);
      const count = await database.first(ofWallet ? sql.countOfWallet : sql.countOfAccount, owner);
      return { keys: rows.map((row) => rowToListed(row, unixSeconds(clock))), total: count?.n ?? 0 };
    },
    create: (by, owner, order, extraRows) =>
      changeKeys(by, async (tx) => {
        requireNoLaterExpiry(by, order.expiresAt);
        const text = newKeyText(order.kind);
        const id = await insertKey(tx, clock, text, { ...owner, ...order });
        return createdKey(tx, owner, id, text, extraRows);
      }),
    rotate: (by, owner, id, overlapSeconds, extraRows) =>
      changeKeys(by, async (tx) => {
        const old = await read(tx, owner, id);
        if (old.status !== 'active' || old.replacedBy !== undefined || KEY_KINDS[old.kind].isPublic) throw new Refusal('key_unusable');
        requireNoLaterExpiry(by, old.expiresAt);
        const text = newKeyText(old.kind);
        const { lineageId, label, expiresAt, limits } = old;
        const replacement = await insertKey(tx, clock, text, { ...owner, lineageId, label, expiresAt, limits });
        const now = unixSeconds(clock);
        // Without an overlap the key is revoked instead of expired, because the clock of the database may differ.
        const ends = overlapSeconds === 0 ? [expiresAt ?? null, now] : [Math.min(expiresAt ?? NEVER, now + overlapSeconds), null];
        await tx.run(sql.replaceKey, id, replacement, ...ends);
        const created = await createdKey(tx, owner, replacement, text, extraRows);
        if (overlapSeconds === 0) await writeRows(tx, [keyEvent(clock, 'key_revoked', owner, old)]);
        return created;
      }),
    revoke: (by, owner, id) =>
      changeKeys(by, async (tx) => {
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

  /** Prevents a lockout: another key that can manage keys must remain, with at least the same expiry. */
  async function requireSuccessor(tx: Tx, accountId: string, { id, expiresAt, limits }: ListedKey): Promise<void> {
    if (limits) return;
    if (!(await tx.first(sql.findSuccessor, accountId, id, expiresAt ?? NEVER, unixSeconds(clock)))) throw new Refusal('last_key');
  }
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
