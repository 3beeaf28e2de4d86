import { type Accounts, insertKey, type Key } from '../accounts/accounts.ts';
import { type KeyKind, newKeyText } from '../accounts/keys.ts';
import type { Database, Tx } from '../db/database.ts';
import { writeRows } from '../db/row-write.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { isId, newId } from '../kernel/ids.ts';
import { Refusal } from '../kernel/refusal.ts';
import { SHORT_TTL, TtlCache } from '../kernel/ttl-cache.ts';
import { type Balance, type Guard, type RowWrite, requireGuards } from '../ledger/ledger.ts';
import * as sql from './wallets.sql.ts';

/** A customer's wallet. What is in it only the ledger knows. Times are Unix seconds. */
export interface Wallet {
  readonly id: string;
  readonly accountId: string;
  readonly ledgerAccount: number;
  readonly userLabel: string;
  readonly status: 'active' | 'inactive';
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A wallet with its balance as last committed. */
export interface FundedWallet {
  readonly wallet: Wallet;
  readonly balance: Balance;
}

/** The kinds of keys every new wallet gets one of. */
export const WALLET_KEY_KINDS = [
  'wallet_admin',
  'wallet_invoice',
  'wallet_read',
  'wallet_lnurl_withdraw',
  'wallet_lnurl_pay',
] as const satisfies readonly KeyKind[];

export type WalletKeyKind = (typeof WALLET_KEY_KINDS)[number];

export interface NewWallet {
  readonly wallet: Wallet;
  /** The access keys, shown this once. */
  readonly accessKeys: Readonly<Record<WalletKeyKind, string>>;
}

/** What can be changed of a wallet. */
export interface WalletChanges {
  readonly userLabel?: string | undefined;
  /** An inactive wallet sends no money; it receives as before. */
  readonly status?: Wallet['status'] | undefined;
}

/** Makes a posting depend on a wallet being active: it is refused when it is inactive by then. */
export function activeWalletGuard(walletId: string): Guard {
  return { statement: sql.activeWallets, id: walletId, onMiss: () => new Refusal('wallet_inactive') };
}

/** What belongs to the transaction that makes a wallet. */
export interface WrittenTogether {
  /** The keys that ask for it. */
  readonly guards?: readonly Guard[];
  /** What else is written. */
  readonly extraRows?: (made: NewWallet) => readonly RowWrite[];
}

export interface Wallets {
  create(accountId: string, userLabel: string, together?: WrittenTogether): Promise<NewWallet>;
  /** From the moment it answers, no money leaves a wallet that was made inactive; what is in flight already goes on. */
  change(wallet: Wallet, changes: WalletChanges, guards?: readonly Guard[]): Promise<Wallet>;
  /** May lag a second behind a change of label or status. */
  find(id: string): Promise<Wallet | undefined>;
  /** The ids of the wallets that own some ledger accounts, by account. */
  ownersOf(ledgerAccounts: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** The wallet a path names, by its id or by any of its access keys; with the key, where it was one. */
  resolve(pathKey: string): Promise<{ wallet: Wallet; key: Key | undefined } | undefined>;
  /** An account's wallets, newest first. */
  list(accountId: string, limit: number, offset: number): Promise<{ wallets: Wallet[]; total: number }>;
  /** Those that follow a wallet's id in that order. */
  listAfter(accountId: string, limit: number, afterId: string): Promise<Wallet[]>;
}

export function createWallets(database: Database, accounts: Accounts, clock: Clock): Wallets {
  const known = new TtlCache<Wallet>(SHORT_TTL);

  async function find(id: string): Promise<Wallet | undefined> {
    return known.get(id, async () => {
      const row = await database.first(sql.findWallet, id);
      return row && toWallet(row);
    });
  }

  return {
    find,
    create: (accountId, userLabel, { guards = [], extraRows = () => [] } = {}) =>
      database.transaction(async (tx) => {
        await requireGuards(tx, guards);
        const made = await create(tx, clock, accountId, userLabel);
        await writeRows(tx, extraRows(made));
        return made;
      }),
    async change(wallet, { userLabel, status }, guards = []) {
      const row = await database.transaction(async (tx) => {
        await requireGuards(tx, guards);
        await tx.run(sql.updateWallet, wallet.id, userLabel ?? null, status ?? null, unixSeconds(clock));
        return tx.first(sql.findWallet, wallet.id);
      });
      if (!row) throw new Error(`wallet ${wallet.id} is gone`);
      known.forget(wallet.id);
      return toWallet(row);
    },
    async resolve(pathKey) {
      if (pathKey.startsWith('wal_')) {
        const wallet = isId(pathKey) ? await find(pathKey) : undefined;
        return wallet && { wallet, key: undefined };
      }
      const key = await accounts.find(pathKey);
      const wallet = key?.walletId === undefined ? undefined : await find(key.walletId);
      return wallet && { wallet, key };
    },
    async ownersOf(ledgerAccounts) {
      const accounts = [...new Set(ledgerAccounts)];
      const rows = accounts.length === 0 ? [] : await database.all(sql.ownersOfLedgerAccounts, accounts);
      return new Map(rows.map((row) => [row.ledger_account, row.id]));
    },
    async list(accountId, limit, offset) {
      const rows = await database.all(sql.listWallets, accountId, limit, offset);
      const count = await database.first(sql.countWallets, accountId);
      return { wallets: rows.map(toWallet), total: count?.n ?? 0 };
    },
    listAfter: async (accountId, limit, afterId) => (await database.all(sql.listWalletsAfter, accountId, afterId, limit)).map(toWallet),
  };
}

async function create(tx: Tx, clock: Clock, accountId: string, userLabel: string): Promise<NewWallet> {
  const id = `wal_${newId(clock.nowMs())}`;
  const ledgerAccount = (await tx.first(sql.openLedgerAccount))?.id;
  if (ledgerAccount === undefined) throw new Error('no ledger account was opened');
  await tx.run(sql.insertWallet, id, accountId, ledgerAccount, userLabel, unixSeconds(clock));
  const accessKeys = Object.fromEntries(WALLET_KEY_KINDS.map((kind) => [kind, newKeyText(kind)])) as Record<WalletKeyKind, string>;
  for (const text of Object.values(accessKeys)) await insertKey(tx, clock, text, { accountId, walletId: id });
  const row = await tx.first(sql.findWallet, id);
  if (!row) throw new Error('the new wallet is not there');
  return { wallet: toWallet(row), accessKeys };
}

function toWallet(row: sql.WalletRow): Wallet {
  return {
    id: row.id,
    accountId: row.account_id,
    ledgerAccount: row.ledger_account,
    userLabel: row.user_label,
    status: row.status,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
