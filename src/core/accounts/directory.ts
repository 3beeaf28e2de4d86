import type { Database, SqlReader, Tx } from '../db/database.ts';
import { isUniqueViolation } from '../db/errors.ts';
import { writeRows } from '../db/row-write.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { Refusal } from '../kernel/refusal.ts';
import { type Guard, type RowWrite, requireGuards } from '../ledger/ledger.ts';
import { type AccountChange, listAccountChanges } from './account-changes.ts';
import { insertKey, type Key, keyGuard, openAccount } from './accounts.ts';
import * as sql from './directory.sql.ts';
import { lockAccount } from './keyring.sql.ts';
import { newKeyText } from './keys.ts';
import { revokeWalletSessionsOfMember } from './sessions.ts';
import { createSetupLink, type SetupLink } from './setup-links.ts';

/** `operator`: also manages the accounts. */
export const ROLES = ['operator', 'member'] as const;
export type Role = (typeof ROLES)[number];

/** From a `frozen` account no money leaves. */
export const ACCOUNT_STATUSES = ['active', 'frozen'] as const;
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number];

/** An account, as its owner and the operator see it. */
export interface Account {
  readonly id: string;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly role: Role;
  readonly status: AccountStatus;
  readonly email: string | undefined;
  readonly hasPassword: boolean;
  readonly hasTotp: boolean;
  /** 0: no limit. */
  readonly maxWallets: number;
  readonly wallets: number;
  readonly publicKey: string;
  /** When the setup link of the account expires, in Unix seconds; undefined if there is none. */
  readonly setupExpiresAt: number | undefined;
}

/** The fields that an operator sets; undefined leaves a field unchanged. */
export interface AccountChanges {
  readonly role?: Role | undefined;
  readonly status?: AccountStatus | undefined;
  readonly email?: string | undefined;
  readonly maxWallets?: number | undefined;
}

/** A new account, and either its secret API key or the link for its owner. They are returned only once. */
export interface CreatedAccount {
  readonly account: Account;
  readonly secretKey: string | undefined;
  readonly setupLink: SetupLink | undefined;
}

/** The request of an operator. */
export interface OperatorRequest {
  /** The requesting key. It is checked in the transaction, with the role of its account. */
  readonly by: Key;
  readonly changes: AccountChanges;
  readonly reason: string;
}

interface Recorded {
  readonly by: Key;
  readonly changes: object;
  readonly reason: string;
}

/** All accounts, and what operators may change of them. */
export interface AccountDirectory {
  find(id: string): Promise<Account | undefined>;
  /** Returns a page of accounts, newest first, and their number. */
  list(limit: number, offset: number): Promise<{ accounts: Account[]; total: number }>;
  /** Returns a page of the changes that operators made to an account, newest first, and their number. */
  listChanges(id: string, limit: number, offset: number): Promise<{ changes: AccountChange[]; total: number }>;
  /** Returns whether an account is an active operator. */
  isOperator(id: string): Promise<boolean>;
  /** Creates an account; with `isInvited` it has a setup link instead of a secret key. @throws Refusal `unauthorized`, `forbidden`, `email_taken` */
  create(
    request: OperatorRequest & { readonly isInvited: boolean },
    extraRows: (created: CreatedAccount) => readonly RowWrite[],
  ): Promise<CreatedAccount>;
  /** Creates a setup link, which replaces an earlier one. @throws Refusal `unauthorized`, `forbidden`, `not_found` */
  createSetupLink(
    id: string,
    request: Omit<OperatorRequest, 'changes'>,
    extraRows: (link: SetupLink) => readonly RowWrite[],
  ): Promise<SetupLink>;
  /**
   * Changes an account. When it returns, no new payment leaves an account that was frozen.
   * @throws Refusal `unauthorized`, `forbidden`, `not_found`, `email_taken`, `last_operator`
   */
  change(id: string, request: OperatorRequest, extraRows?: readonly RowWrite[]): Promise<Account>;
}

export function createAccountDirectory(database: Database, clock: Clock): AccountDirectory {
  async function find(id: string, queries: SqlReader = database): Promise<Account | undefined> {
    const row = await queries.first(sql.findAccount, id);
    return row && toAccount(row, unixSeconds(clock));
  }

  async function read(tx: Tx, id: string): Promise<Account> {
    const account = await find(id, tx);
    if (!account) throw new Refusal('not_found');
    return account;
  }

  /** Runs a transaction of an operator; one at a time. */
  async function asOperator<T>(by: Key, work: (tx: Tx) => Promise<T>): Promise<T> {
    try {
      return await database.transaction(async (tx) => {
        const operators = await tx.all(sql.lockOperators);
        if (!operators.some(({ id }) => id === by.accountId)) throw new Refusal('forbidden', NEEDS_OPERATOR);
        await requireGuards(tx, [keyGuard(by)]);
        return work(tx);
      });
    } catch (error) {
      throw isUniqueViolation(error, 'account') ? new Refusal('email_taken') : error;
    }
  }

  async function record(tx: Tx, id: string, { by, changes, reason }: Recorded): Promise<void> {
    const change = `acch_${newId(clock.nowMs())}`;
    await tx.run(sql.insertChange, change, id, by.id, by.accountId, JSON.stringify(changes), reason, unixSeconds(clock));
  }

  return {
    find: (id) => find(id),
    async list(limit, offset) {
      const rows = await database.all(sql.listAccounts, limit, offset);
      const count = await database.first(sql.countAccounts);
      return { accounts: rows.map((row) => toAccount(row, unixSeconds(clock))), total: count?.n ?? 0 };
    },
    listChanges: (id, limit, offset) => listAccountChanges(database, id, { limit, offset }),
    async isOperator(id) {
      const row = await database.first(sql.findRole, id);
      return row?.role === 'operator' && row.status === 'active';
    },
    create: (request, extraRows) =>
      asOperator(request.by, async (tx) => {
        const { accountId } = await openAccount(tx, clock);
        await applyChanges(tx, accountId, request.changes);
        await record(tx, accountId, request);
        const secretKey = request.isInvited ? undefined : newKeyText('secret_api');
        if (secretKey !== undefined) await insertKey(tx, clock, secretKey, { accountId, walletId: undefined });
        const setupLink = request.isInvited ? await createSetupLink(tx, clock, accountId) : undefined;
        const created = { account: await read(tx, accountId), secretKey, setupLink };
        await writeRows(tx, extraRows(created));
        return created;
      }),
    createSetupLink: (id, { by, reason }, extraRows) =>
      asOperator(by, async (tx) => {
        await read(tx, id);
        const link = await createSetupLink(tx, clock, id);
        await record(tx, id, { by, changes: { setupLink: 'created' }, reason });
        await writeRows(tx, extraRows(link));
        return link;
      }),
    change: (id, request, extraRows = []) =>
      asOperator(request.by, async (tx) => {
        await read(tx, id);
        if (request.changes.role === 'operator') {
          await tx.first(lockAccount, id);
          await revokeWalletSessionsOfMember(tx, clock, id);
        }
        await applyChanges(tx, id, request.changes);
        if ((await tx.all(sql.lockOperators)).length === 0) throw new Refusal('last_operator');
        await record(tx, id, request);
        await writeRows(tx, extraRows);
        return read(tx, id);
      }),
  };
}

/** Returns guards that reject a transaction unless the key is valid and its account is an active operator. */
export function operatorGuards(by: Key): Guard[] {
  return [keyGuard(by), { statement: sql.validOperators, id: by.accountId, onMiss: () => new Refusal('forbidden', NEEDS_OPERATOR) }];
}

export const NEEDS_OPERATOR = 'This needs a secret API key (sak_) or a session of an operator.';

async function applyChanges(tx: Tx, id: string, { role, status, email, maxWallets }: AccountChanges): Promise<void> {
  if (status !== undefined) {
    await tx.first(sql.lockForStatus, id);
    await tx.run(sql.updateStatus, id, status);
  }
  await tx.run(sql.updateAccount, id, role ?? null, email ?? null, maxWallets ?? null);
}

/**
 * Returns how many wallets an account may have, and locks it so that its wallets are created one at a time; undefined without a limit. A lock
 * for each new wallet would slow down accounts without a limit.
 */
export async function lockWalletLimit(tx: Tx, accountId: string): Promise<number | undefined> {
  const row = await tx.first(sql.readWalletLimit, accountId);
  if (!row || row.max_wallets === 0) return undefined;
  await tx.first(lockAccount, accountId);
  return (await tx.first(sql.readWalletLimit, accountId))?.max_wallets || undefined;
}

function toAccount(row: sql.DirectoryRow, nowSeconds: number): Account {
  return {
    id: row.id,
    createdAt: row.created_at,
    role: row.role,
    status: row.status,
    email: row.email ?? undefined,
    hasPassword: row.has_password === 1,
    hasTotp: row.has_totp === 1,
    maxWallets: row.max_wallets,
    wallets: row.wallets,
    publicKey: row.public_text,
    setupExpiresAt: row.setup_expires_at !== null && row.setup_expires_at > nowSeconds ? row.setup_expires_at : undefined,
  };
}
