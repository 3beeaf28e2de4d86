import { type Accounts, insertKey, type Key } from '../accounts/accounts.ts';
import { lockWalletLimit } from '../accounts/directory.ts';
import { type KeyKind, newKeyText } from '../accounts/keys.ts';
import { batchReads } from '../db/batched-reads.ts';
import type { Database, SqlReader, Tx } from '../db/database.ts';
import { openList } from '../db/list.ts';
import { writeRows } from '../db/row-write.ts';
import { eventRow } from '../journal/events.ts';
import { changedSearchRows, searchRows } from '../journal/search-words.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { isId, newId } from '../kernel/ids.ts';
import type { List } from '../kernel/list.ts';
import { Refusal } from '../kernel/refusal.ts';
import { SHORT_TTL, TtlCache } from '../kernel/ttl-cache.ts';
import { type Balance, type Guard, type RowWrite, requireGuards } from '../ledger/ledger.ts';
import { Placement } from './placement.ts';
import { searchList, type WalletSearch } from './search.ts';
import * as sql from './wallets.sql.ts';

/** A customer's wallet. The ledger has its balance. Times are Unix seconds. */
export interface Wallet {
  readonly id: string;
  readonly accountId: string;
  readonly ledgerAccount: number;
  /** The node that creates its invoices and sends its payments. */
  readonly nodeId: string;
  readonly userLabel: string;
  readonly status: 'active' | 'inactive';
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A wallet with its committed balance. */
export interface FundedWallet {
  readonly wallet: Wallet;
  readonly balance: Balance;
}

/** A new wallet gets one key of each of these kinds. */
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
  /** The access keys. They are returned only once. */
  readonly accessKeys: Readonly<Record<WalletKeyKind, string>>;
}

/** Changes of a wallet; undefined leaves a field unchanged. */
export interface WalletChanges {
  readonly userLabel?: string | undefined;
  /** An inactive wallet cannot send money. It can still receive. */
  readonly status?: Wallet['status'] | undefined;
}

/** The errors of {@link walletGuard}. `payee`: the request is of a payer, who may not learn more about the receiving account. */
const GUARD_ERRORS = {
  send: 'wallet_inactive',
  sendWithinLimits: 'wallet_inactive',
  receive: 'account_restricted',
  payee: 'payee_restricted',
} as const;

/**
 * `send`: the wallet has no limits; otherwise `sendWithinLimits`, with {@link limitOwnersGuard}.
 *
 * Returns the guard of every posting that spends from a wallet, hands out an invoice of it or credits it: rejects the posting unless the states of the
 * wallet and of its account allow that at its commit. Only what a node has received is credited without it.
 */
export function walletGuard(walletId: string, use: keyof typeof GUARD_ERRORS): Guard {
  const statement = sql.walletsThat[use === 'payee' ? 'receive' : use];
  return { statement, id: walletId, onMiss: () => new Refusal(GUARD_ERRORS[use]) };
}

/** Returns a guard that rejects a posting unless the limited owners of the wallet are these. It follows the guard that locks the wallet. */
export function limitOwnersGuard(walletId: string, owners: readonly string[]): Guard {
  return { statement: sql.walletsWithOwners, id: `${walletId} ${owners.join(' ')}`, onMiss: () => new Refusal('wallet_inactive') };
}

/** Returns the state of the account of a wallet if it does not allow receiving. */
export async function findReceivingRestriction(database: SqlReader, walletId: string): Promise<string | undefined> {
  return (await database.first(sql.findReceivingRestricted, walletId))?.status;
}

/** Returns the wallets among these whose account does not allow receiving. */
export async function listReceivingRestricted(database: SqlReader, walletIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (walletIds.length === 0) return new Set();
  return new Set((await database.all(sql.listReceivingRestricted, walletIds)).map(({ id }) => id));
}

/** Options for the transaction that creates a wallet. */
export interface CreateWalletOptions {
  /** Conditions, such as the validity of the requesting key. */
  readonly guards?: readonly Guard[];
  /** Absent: of the active nodes that answer, the one with the fewest wallets. */
  readonly nodeId?: string | undefined;
  /** Returns rows to write in the same transaction. */
  readonly extraRows?: (created: NewWallet) => readonly RowWrite[];
}

export type Wallets = ReturnType<typeof createWallets>;

export interface WalletDependencies {
  readonly database: Database;
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly isNodeAvailable: (nodeId: string) => Promise<boolean>;
  /** Returns the rows that other modules store with each new wallet. */
  readonly rowsOf?: (wallet: Wallet) => readonly RowWrite[];
}

export function createWallets({ database, accounts, clock, isNodeAvailable, rowsOf = () => [] }: WalletDependencies) {
  const cache = new TtlCache<Wallet>(SHORT_TTL);
  const read = batchReads(database, { one: sql.findWallet, many: sql.findWallets });
  const placement = new Placement(database, isNodeAvailable);

  /** Returns a wallet. Its label and status may be one second old. */
  async function find(id: string): Promise<Wallet | undefined> {
    return cache.get(id, () => read(id));
  }

  return {
    find,

    /** Returns wallets by their ids, in any order. */
    findMany: async (ids: readonly string[]): Promise<Wallet[]> => (ids.length === 0 ? [] : database.all(sql.findWallets, ids)),

    async create(
      accountId: string,
      userLabel: string,
      { guards = [], nodeId: wanted, extraRows = () => [] }: CreateWalletOptions = {},
    ): Promise<NewWallet> {
      if (wanted !== undefined && !isId(wanted)) throw new NodeDraining();
      for (;;) {
        const nodeId = wanted ?? (await placement.choose());
        // The node may have been drained since it was chosen.
        const active: Guard = { statement: sql.activeNodes, id: nodeId, onMiss: () => new NodeDraining() };
        try {
          return await database.transaction(async (tx) => {
            await requireWalletPlace(tx, accountId);
            await requireGuards(tx, [active, ...guards]);
            const made = await create(tx, clock, { accountId, userLabel, nodeId });
            const event = eventRow(clock, { type: 'wallet_created', owner: made.wallet, subject: made.wallet.id });
            await writeRows(tx, [...rowsOf(made.wallet), ...searchRows(searchedWallet(made.wallet)), ...extraRows(made), event]);
            return made;
          });
        } catch (error) {
          if (!(error instanceof NodeDraining) || wanted !== undefined) throw error;
          placement.forget();
        }
      }
    },

    /** Changes a wallet. After it was made inactive, no new payment leaves it; pending payments continue. */
    async change(wallet: Wallet, { userLabel, status }: WalletChanges, guards: readonly Guard[] = []): Promise<Wallet> {
      const changed = await database.transaction(async (tx) => {
        await requireGuards(tx, guards);
        const before = await tx.first(sql.findWallet, wallet.id);
        const changes = await tx.run(sql.updateWallet, wallet.id, userLabel ?? null, status ?? null, unixSeconds(clock));
        const after = await tx.first(sql.findWallet, wallet.id);
        if (after && before) await writeRows(tx, changedSearchRows(searchedWallet(after), before.userLabel));
        if (changes > 0) await writeRows(tx, [eventRow(clock, { type: 'wallet_updated', owner: wallet, subject: wallet.id })]);
        return after;
      });
      if (!changed) throw new Error(`wallet ${wallet.id} is gone`);
      cache.forget(wallet.id);
      return changed;
    },

    /** Returns the wallet of a path parameter, which is its id or one of its access keys, and that key. */
    async resolve(pathKey: string): Promise<{ wallet: Wallet; key: Key | undefined } | undefined> {
      if (/^walx?_/.test(pathKey)) {
        const wallet = isId(pathKey) ? await find(pathKey) : undefined;
        return wallet && { wallet, key: undefined };
      }
      const key = await accounts.find(pathKey);
      const wallet = key?.walletId === undefined ? undefined : await find(key.walletId);
      return wallet && { wallet, key };
    },

    /** Returns ledger account → id of its wallet. */
    async ownersOf(ledgerAccounts: readonly number[]): Promise<ReadonlyMap<number, string>> {
      const accounts = [...new Set(ledgerAccounts)];
      const rows = accounts.length === 0 ? [] : await database.all(sql.ownersOfLedgerAccounts, accounts);
      return new Map(rows.map((row) => [row.ledgerAccount, row.id]));
    },

    /** Returns the wallets of an account, or of these ids, that match a search. */
    list(accountId: string, { ids, ...search }: WalletSearch & { readonly ids?: readonly string[] | undefined } = {}): List<Wallet> {
      const selected = ids
        ? { statements: sql.listWalletsById, filters: [accountId, ids] }
        : { statements: sql.listWallets, filters: [accountId] };
      return searchList(openList(database, { ...selected, prefix: 'wal' }), search);
    },
  };
}

/** The node gets no new wallets. */
export class NodeDraining extends Refusal {
  constructor() {
    super('validation_failed', '`ln_node_id` must be a Lightning node of this service that is not draining. GET /v1/nodes lists them.');
  }
}

/** @throws Refusal `too_many_wallets` */
async function requireWalletPlace(tx: Tx, accountId: string): Promise<void> {
  const limit = await lockWalletLimit(tx, accountId);
  if (limit === undefined) return;
  const count = await tx.first(sql.listWallets.count, accountId, limit);
  if ((count?.n ?? 0) >= limit)
    throw new Refusal('too_many_wallets', `The account has ${limit} wallets, its maximum. Ask the operator for a higher limit.`);
}

type WalletFields = Pick<Wallet, 'accountId' | 'userLabel' | 'nodeId'>;

/** Inserts a wallet with its ledger account. It has no keys. */
export async function insertWallet(tx: Tx, clock: Clock, fields: WalletFields & { readonly id: string }): Promise<Wallet> {
  const { id, accountId, userLabel, nodeId } = fields;
  const ledgerAccount = (await tx.first(sql.openLedgerAccount))?.id;
  if (ledgerAccount === undefined) throw new Error('no ledger account was opened');
  const now = unixSeconds(clock);
  await tx.run(sql.insertWallet, id, accountId, ledgerAccount, userLabel, now, nodeId);
  await tx.run(sql.inheritLimits, id);
  return { id, accountId, ledgerAccount, nodeId, userLabel, status: 'active', createdAt: now, updatedAt: now };
}

async function create(tx: Tx, clock: Clock, fields: WalletFields): Promise<NewWallet> {
  const wallet = await insertWallet(tx, clock, { ...fields, id: `wal_${newId(clock.nowMs())}` });
  const { id, accountId } = wallet;
  const accessKeys = Object.fromEntries(WALLET_KEY_KINDS.map((kind) => [kind, newKeyText(kind)])) as Record<WalletKeyKind, string>;
  for (const text of Object.values(accessKeys)) await insertKey(tx, clock, text, { accountId, walletId: id });
  return { wallet, accessKeys };
}

/** Returns what a search for wallets finds. */
export function searchedWallet({ id, accountId, userLabel }: Wallet) {
  return { id, owner: accountId, text: userLabel };
}

/** Returns the id of the pay link that was created with a wallet. */
export function defaultPayLinkId(walletId: string): string {
  return `lnurlp_${walletId.slice(walletId.indexOf('_') + 1)}`;
}
