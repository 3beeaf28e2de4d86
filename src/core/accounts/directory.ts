import type { Database, SqlReader, Tx } from '../db/database.ts';
import { isUniqueViolation } from '../db/errors.ts';
import { openList } from '../db/list.ts';
import { writeRows } from '../db/row-write.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import type { List } from '../kernel/list.ts';
import { Refusal } from '../kernel/refusal.ts';
import { type Guard, type RowWrite, requireGuards } from '../ledger/ledger.ts';
import * as sql from './accounts.sql.ts';
import { insertKey, type Key, keyGuard, lockAccount, openAccount } from './accounts.ts';
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

/** The fields that a change set; `setupLink`: a setup link was created. */
export interface RecordedChanges {
  readonly role?: Role;
  readonly status?: AccountStatus;
  readonly email?: string;
  readonly maxWallets?: number;
  readonly setupLink?: 'created';
}

/** One change of an account by an operator. */
export interface AccountChange {
  readonly id: string;
  readonly accountId: string;
  /** The id of the key or session that requested it, and its account. */
  readonly madeBy: string;
  readonly madeByAccount: string;
  readonly changes: RecordedChanges;
  readonly reason: string;
  /** Unix seconds. */
  readonly createdAt: number;
}

/** The request of an operator. */
export interface OperatorRequest {
  /** The requesting key. It is checked in the transaction, with the role of its account. */
  readonly by: Key;
  readonly changes: AccountChanges;
  readonly reason: string;
}

/** All accounts, and what operators may change of them. */
export type AccountDirectory = ReturnType<typeof createAccountDirectory>;

export function createAccountDirectory(database: Database, clock: Clock) {
  async function find(id: string, queries: SqlReader = database): Promise<Account | undefined> {
    const row = await queries.first(sql.findAccount, id);
    return row && toAccount(row, unixSeconds(clock));
  }

  async function read(tx: Tx, id: string): Promise<Account> {
    const account = await find(id, tx);
    if (!account) throw new Refusal('not_found');
    return account;
  }

  async function record(tx: Tx, id: string, by: Key, changes: AccountChanges | RecordedChanges, reason: string): Promise<void> {
    const change = `acch_${newId(clock.nowMs())}`;
    await tx.run(sql.insertChange, change, id, by.id, by.accountId, JSON.stringify(changes), reason, unixSeconds(clock));
  }

  return {
    find: (id: string) => find(id),

    list: (): List<Account> =>
      openList(database, { statements: sql.listAccounts, prefix: 'acc', toItem: (row) => toAccount(row, unixSeconds(clock)) }),

    /** Returns the changes that operators made to an account. */
    listChanges: (id: string): List<AccountChange> =>
      openList(database, { statements: sql.listChanges, filters: [id], prefix: 'acch', toItem: toChange }),

    /** Returns whether an account is an active operator. */
    async isOperator(id: string): Promise<boolean> {
      const row = await database.first(sql.findRole, id);
      return row?.role === 'operator' && row.status === 'active';
    },

    /** Creates an account; with `isInvited` it has a setup link instead of a secret key. @throws Refusal `unauthorized`, `forbidden`, `email_taken` */
    create: (
      { by, changes, reason, isInvited }: OperatorRequest & { readonly isInvited: boolean },
      extraRows: (created: CreatedAccount) => readonly RowWrite[],
    ): Promise<CreatedAccount> =>
      asOperator(database, by, async (tx) => {
        const { accountId } = await openAccount(tx, clock);
        await applyChanges(tx, accountId, changes);
        await record(tx, accountId, by, changes, reason);
        const secretKey = isInvited ? undefined : newKeyText('secret_api');
        if (secretKey !== undefined) await insertKey(tx, clock, secretKey, { accountId, walletId: undefined });
        const setupLink = isInvited ? await createSetupLink(tx, clock, accountId) : undefined;
        const created = { account: await read(tx, accountId), secretKey, setupLink };
        await writeRows(tx, extraRows(created));
        return created;
      }),

    /** Creates a setup link, which replaces an earlier one. @throws Refusal `unauthorized`, `forbidden`, `not_found` */
    createSetupLink: (
      id: string,
      { by, reason }: { readonly by: Key; readonly reason: string },
      extraRows: (link: SetupLink) => readonly RowWrite[],
    ): Promise<SetupLink> =>
      asOperator(database, by, async (tx) => {
        await read(tx, id);
        const link = await createSetupLink(tx, clock, id);
        await record(tx, id, by, { setupLink: 'created' }, reason);
        await writeRows(tx, extraRows(link));
        return link;
      }),

    /**
     * Changes an account. When it returns, no new payment leaves an account that was frozen.
     * @throws Refusal `unauthorized`, `forbidden`, `not_found`, `email_taken`, `last_operator`
     */
    change: (id: string, { by, changes, reason }: OperatorRequest, extraRows: readonly RowWrite[] = []): Promise<Account> =>
      asOperator(database, by, async (tx) => {
        await read(tx, id);
        if (changes.role === 'operator') {
          await lockAccount(tx, id);
          await revokeWalletSessionsOfMember(tx, clock, id);
        }
        await applyChanges(tx, id, changes);
        if ((await tx.all(sql.lockOperators)).length === 0) throw new Refusal('last_operator');
        await record(tx, id, by, changes, reason);
        await writeRows(tx, extraRows);
        return read(tx, id);
      }),
  };
}

/** Runs a transaction of an operator; one at a time. */
async function asOperator<T>(database: Database, by: Key, work: (tx: Tx) => Promise<T>): Promise<T> {
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
  await lockAccount(tx, accountId);
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

function toChange(row: sql.ChangeRow): AccountChange {
  return {
    id: row.id,
    accountId: row.account_id,
    madeBy: row.made_by,
    madeByAccount: row.made_by_account,
    changes: JSON.parse(row.changes),
    reason: row.reason,
    createdAt: row.created_at,
  };
}
