import { type KeyLimits, periodStart } from '../budgets/limits.ts';
import type { Database, Tx } from '../db/database.ts';
import { writeRows } from '../db/row-write.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { Refusal } from '../kernel/refusal.ts';
import { type RowWrite, requireGuards } from '../ledger/ledger.ts';
import { insertKey, type Key, keyGuard } from './accounts.ts';
import * as sql from './keyring.sql.ts';
import { KEY_KINDS, type KeyKind, newKeyText } from './keys.ts';
import { type ListedKey, rowToListed } from './listed-key.ts';

/** Whose keys: an account's own, or those of one of its wallets. */
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

/** A key that was just made, and its secret, which is not kept. */
export interface MadeKey {
  readonly key: ListedKey;
  readonly text: string;
}

/** What else is written with a key, such as the memory of a request. */
export type KeyRows = (made: MadeKey) => readonly RowWrite[];

/**
 * The keys of accounts and wallets, for those who manage them. `by` is the secret API key that asks; it is checked in the transaction
 * that changes something.
 */
export interface Keyring {
  account(accountId: string): Promise<{ createdAt: number; publicKey: string }>;
  /** @throws Refusal `not_found` */
  find(owner: KeyOwner, id: string): Promise<ListedKey>;
  /** Newest first. */
  list(owner: KeyOwner, limit: number, offset: number): Promise<{ keys: ListedKey[]; total: number }>;
  /** @throws Refusal `unauthorized`; `forbidden` for a key that would outlive the one that asks. */
  create(by: Key, owner: KeyOwner, order: KeyOrder, extraRows?: KeyRows): Promise<MadeKey>;
  /** Makes a key with the same rights and limits in its place; the old one is valid for `overlapSeconds` more. @throws Refusal */
  rotate(by: Key, owner: KeyOwner, id: string, overlapSeconds: number, extraRows?: KeyRows): Promise<MadeKey>;
  /** From the moment it answers, the key moves no money and makes nothing. @throws Refusal `last_key`, `key_unusable`, `not_found` */
  revoke(by: Key, owner: KeyOwner, id: string): Promise<ListedKey>;
}

/** After every expiry. */
const NEVER = Number.MAX_SAFE_INTEGER;

export function createKeyring(database: Database, clock: Clock): Keyring {
  /** Changes keys of an account, one caller at a time. */
  function change<T>(by: Key, work: (tx: Tx) => Promise<T>): Promise<T> {
    return database.transaction(async (tx) => {
      await tx.first(sql.lockAccount, by.accountId);
      await requireGuards(tx, [keyGuard(by)]);
      return work(tx);
    });
  }

  async function read(tx: Pick<Tx, 'first'>, owner: KeyOwner, id: string): Promise<ListedKey> {
    const row = await tx.first(sql.findListed, ...periods(clock), id);
    const isOwners = row?.account_id === owner.accountId && (row.wallet_id ?? undefined) === owner.walletId;
    if (!row || !isOwners) throw new Refusal('not_found');
    return rowToListed(row, unixSeconds(clock));
  }

  async function made(tx: Tx, owner: KeyOwner, id: string, text: string, extraRows: KeyRows = () => []): Promise<MadeKey> {
    const one = { key: await read(tx, owner, id), text };
    await writeRows(tx, extraRows(one));
    return one;
  }

  return {
    find: (owner, id) => read(database, owner, id),
    async account(accountId) {
      const row = await database.first(sql.findAccount, accountId);
      if (!row) throw new Error(`account ${accountId} is gone`);
      return { createdAt: row.created_at, publicKey: row.public_text };
    },
    async list({ accountId, walletId }, limit, offset) {
      const ofWallet = walletId !== undefined;
      const owner = walletId ?? accountId;
      const rows = await database.all(ofWallet ? sql.listOfWallet : sql.listOfAccount, ...periods(clock), owner, limit, offset);
      const count = await database.first(ofWallet ? sql.countOfWallet : sql.countOfAccount, owner);
      return { keys: rows.map((row) => rowToListed(row, unixSeconds(clock))), total: count?.n ?? 0 };
    },
    create: (by, owner, order, extraRows) =>
      change(by, async (tx) => {
        requireNotOutliving(by, order.expiresAt);
        const text = newKeyText(order.kind);
        const id = await insertKey(tx, clock, text, { ...owner, ...order });
        return made(tx, owner, id, text, extraRows);
      }),
    rotate: (by, owner, id, overlapSeconds, extraRows) =>
      change(by, async (tx) => {
        const old = await read(tx, owner, id);
        if (old.status !== 'active' || old.replacedBy !== undefined || KEY_KINDS[old.kind].isPublic) throw new Refusal('key_unusable');
        requireNotOutliving(by, old.expiresAt);
        const text = newKeyText(old.kind);
        const { lineageId, label, expiresAt, limits } = old;
        const replacement = await insertKey(tx, clock, text, { ...owner, lineageId, label, expiresAt, limits });
        const now = unixSeconds(clock);
        // Without an overlap it ends here, whatever the clock of the database says.
        const ends = overlapSeconds === 0 ? [expiresAt ?? null, now] : [Math.min(expiresAt ?? NEVER, now + overlapSeconds), null];
        await tx.run(sql.replace, id, replacement, ...ends);
        return made(tx, owner, replacement, text, extraRows);
      }),
    revoke: (by, owner, id) =>
      change(by, async (tx) => {
        const key = await read(tx, owner, id);
        if (KEY_KINDS[key.kind].isPublic) throw new Refusal('key_unusable', 'A public key only names things; it cannot be revoked.');
        if (key.kind === 'secret_api' && key.status === 'active') await requireSuccessor(tx, owner.accountId, key);
        await tx.run(sql.revoke, id, unixSeconds(clock));
        return read(tx, owner, id);
      }),
  };

  /** Nobody locks themselves out: another key that can manage keys remains, for at least as long. */
  async function requireSuccessor(tx: Tx, accountId: string, { id, expiresAt, limits }: ListedKey): Promise<void> {
    if (limits) return;
    if (!(await tx.first(sql.findSuccessor, accountId, id, expiresAt ?? NEVER, unixSeconds(clock)))) throw new Refusal('last_key');
  }
}

/** A key that expires makes none that goes on without it. */
function requireNotOutliving(by: Key, expiresAt: number | undefined): void {
  if (by.expiresAt === undefined || (expiresAt ?? NEVER) <= by.expiresAt) return;
  throw new Refusal('forbidden', 'The key expires, so it can only make keys that expire no later. Send `expires_at` or `expiry`.');
}

function periods(clock: Clock): [day: number, week: number, month: number] {
  const now = unixSeconds(clock);
  return [periodStart('day', now), periodStart('week', now), periodStart('month', now)];
}
