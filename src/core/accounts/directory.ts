import type { Database, SqlReader, Tx } from '../db/database.ts';
import { isUniqueViolation } from '../db/errors.ts';
import { openList } from '../db/list.ts';
import { writeRows } from '../db/row-write.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { isId, splitIds } from '../kernel/ids.ts';
import { type List, mapList } from '../kernel/list.ts';
import { Refusal, requireFound } from '../kernel/refusal.ts';
import { type Guard, type Ledger, type RowWrite, requireGuards } from '../ledger/ledger.ts';
import { type AccountAction, type AccountStatus, allows } from './account-states.ts';
import * as sql from './accounts.sql.ts';
import { type Key, keyGuard, keyGuards, lockAccount, openAccount } from './accounts.ts';
import { newKeyText } from './keys.ts';
import { type FieldChange, type RecordKind, recordIn, requesterOfKey } from './operator-records.ts';
import { revokeWalletSessionsOfMember } from './sessions.sql.ts';
import { createSetupLink, type SetupLink } from './setup-links.ts';

/** `operator`: also manages the accounts. */
export const ROLES = ['operator', 'member'] as const;

/** An account as the API returns it, to its owner and to operators. Times are Unix seconds. */
export type Account = ReturnType<typeof accountFromRow>;

/** The fields that an operator sets, as the API names them. Absent fields remain unchanged. */
export interface AccountChanges {
  readonly role?: Account['role'];
  readonly status?: AccountStatus;
  readonly email?: string;
  /** 0: no limit. */
  readonly max_wallets?: number;
  /** The share of the service's fees of a sub-account that goes to a wallet of an account above it. */
  readonly share_millionths?: number;
  readonly revenue_wallet_id?: string;
}

/** A new account, and either its secret API key or the link for its owner. They are returned only once. */
export interface CreatedAccount {
  readonly account: Account;
  readonly secretKey: string | undefined;
  readonly setupLink: SetupLink | undefined;
}

/** Who requests a change as an operator, and why. */
export interface OperatorOrder {
  /** The requesting key. It is checked in the transaction, with the role of its account. */
  readonly by: Key;
  /** The IP address of the request. */
  readonly origin?: string | undefined;
  readonly reason: string;
}

/** The request of an operator to change an account. */
export interface OperatorRequest extends OperatorOrder {
  readonly changes: AccountChanges;
}

/** All accounts, and what operators may change of them. */
export type AccountDirectory = ReturnType<typeof createAccountDirectory>;

/** Returns all accounts. */
export function listAccounts(database: Database, clock: Clock): List<Account> {
  return accountsOf(openList(database, { statements: sql.listAccounts, prefix: 'acc' }), clock);
}

function accountsOf(rows: List<sql.DirectoryRow>, clock: Clock): List<Account> {
  return mapList(rows, (page) => page.map((row) => accountFromRow(row, unixSeconds(clock))));
}

interface DirectoryOptions {
  readonly database: Database;
  readonly ledger: Pick<Ledger, 'balances'>;
  readonly clock: Clock;
}

export function createAccountDirectory({ database, ledger, clock }: DirectoryOptions) {
  async function read(queries: SqlReader, id: string) {
    const row = requireFound(await queries.first(sql.findAccount, id));
    return accountFromRow(row, unixSeconds(clock));
  }

  async function record(tx: Tx, id: string, { by, origin, reason }: OperatorOrder, kind: RecordKind, changes: readonly FieldChange[] = []) {
    const requester = requesterOfKey(by, origin, reason);
    await recordIn(tx, { ...requester, kind, subject: id, accountId: id, changes }, unixSeconds(clock));
  }

  return {
    /** @throws Refusal `not_found` */
    find: (id: string): Promise<Account> => read(database, id),

    list: () => listAccounts(database, clock),

    /** @throws Refusal `account_restricted` unless the state of the account allows the action */
    async requireAllowed(id: string, action: AccountAction): Promise<void> {
      const { status } = requireFound(await database.first(sql.findStatus, id));
      if (!allows(status, action)) throw restricted(status);
    },

    /** Returns the accounts directly below an account. */
    listSubAccounts: (id: string): List<Account> =>
      accountsOf(openList(database, { statements: sql.listSubAccounts, filters: [id], prefix: 'acc' }), clock),

    /** Returns whether an account is above another one. */
    async isAbove(id: string, belowId: string): Promise<boolean> {
      const row = await database.first(sql.findAccount, belowId);
      return row !== undefined && splitIds(row.ancestors).includes(id);
    },

    /** Sets the currency in which the owner of a key sees amounts; undefined: none. @throws Refusal `unauthorized` */
    setCurrency: (by: Key, currency: string | undefined): Promise<Account> =>
      database.transaction(async (tx) => {
        await requireGuards(tx, keyGuards(by));
        await tx.run(sql.updateCurrency, by.accountId, currency ?? null);
        return read(tx, by.accountId);
      }),

    /** Returns whether an account is an active operator. */
    isOperator: async (id: string) => (await database.first(sql.findOperator, id)) !== undefined,

    /** Creates an account; with `isInvited` it has a setup link instead of a secret key. @throws Refusal `unauthorized`, `forbidden`, `email_taken` */
    create: (
      { changes, isInvited, parentId, ...order }: OperatorRequest & { readonly isInvited: boolean; readonly parentId?: string | undefined },
      extraRows: (created: CreatedAccount) => readonly RowWrite[],
    ): Promise<CreatedAccount> =>
      asOperator(database, order.by, async (tx) => {
        const secretKey = isInvited ? undefined : newKeyText('secret_api');
        const { accountId } = await openAccount(tx, clock, secretKey);
        if (parentId !== undefined) await placeBelow(tx, accountId, parentId);
        await applyChanges(tx, accountId, changes);
        const placed = parentId === undefined ? [] : [{ field: 'parent_id', before: null, after: parentId }];
        await record(tx, accountId, order, 'create_account', [...placed, ...changesOf(changes)]);
        const setupLink = isInvited ? await createSetupLink(tx, clock, accountId) : undefined;
        const created = { account: await read(tx, accountId), secretKey, setupLink };
        await writeRows(tx, extraRows(created));
        return created;
      }),

    /** Creates a setup link, which replaces an earlier one. @throws Refusal `unauthorized`, `forbidden`, `not_found` */
    createSetupLink: (id: string, order: OperatorOrder, extraRows: (link: SetupLink) => readonly RowWrite[]): Promise<SetupLink> =>
      asOperator(database, order.by, async (tx) => {
        await read(tx, id);
        const link = await createSetupLink(tx, clock, id);
        await record(tx, id, order, 'create_setup_link');
        await writeRows(tx, extraRows(link));
        return link;
      }),

    /**
     * Changes an account. When it returns, the account does nothing new that its state does not allow.
     * @throws Refusal `unauthorized`, `forbidden`, `not_found`, `email_taken`, `last_operator`; `action_refused` if an account that holds money
     * would be closed
     */
    change: (id: string, { changes, ...order }: OperatorRequest, extraRows: readonly RowWrite[] = []): Promise<Account> =>
      asOperator(database, order.by, async (tx) => {
        // Its owner may be changing the e-mail, or starting a session with a wallet.
        await lockAccount(tx, id);
        const before = await read(tx, id);
        if (changes.role === 'operator') await tx.run(revokeWalletSessionsOfMember, id, unixSeconds(clock));
        await applyChanges(tx, id, changes);
        if (changes.status === 'closed') await requireEmpty(tx, ledger, id);
        if (!(await tx.first(sql.findWorkingOperator))) throw new Refusal('last_operator');
        await record(tx, id, order, 'change_account', changesOf(changes, before));
        await writeRows(tx, extraRows);
        return read(tx, id);
      }),
  };
}

/** Returns the error for a request that the state of its account does not allow. */
export function restricted(status: AccountStatus): Refusal {
  return new Refusal(
    'account_restricted',
    `The account is \`${status}\`, which does not allow this request. Ask the operator of the service.`,
  );
}

/** How many wallets are read at once. */
const PAGE = 500;

/**
 * Rejects the end of an account that has money. The account is locked, so no posting moves its money meanwhile, except that what a node has received
 * is credited.
 * @throws Refusal `action_refused`
 */
async function requireEmpty(tx: Tx, ledger: DirectoryOptions['ledger'], id: string): Promise<void> {
  for (let after = 0; ; ) {
    const page = await tx.all(sql.listLedgerAccounts, id, after, PAGE);
    const balances = await ledger.balances(page.map(({ ledger_account: account }) => account));
    if (balances.some(({ balanceMsat }) => balanceMsat !== 0))
      throw new Refusal(
        'action_refused',
        'The wallets of the account hold money. Set `status` to `closing`, and close it when they are empty.',
      );
    if (page.length < PAGE) return;
    after = page.at(-1)?.ledger_account ?? after;
  }
}

/** Runs a transaction of an operator; one at a time. */
async function asOperator<T>(database: Database, by: Key, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await database.transaction(async (tx) => {
      const operators = await tx.all(sql.lockOperators);
      if (!operators.some(({ id }) => id === by.accountId)) throw new Refusal('forbidden', NEEDS_OPERATOR);
      await requireGuards(tx, keyGuards(by));
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

/** The most levels of accounts. */
const MAX_LEVELS = 4;

/** @throws Refusal `validation_failed` */
async function placeBelow(tx: Tx, id: string, parentId: string): Promise<void> {
  const parent = isId(parentId) ? await tx.first(sql.findAccount, parentId) : undefined;
  if (!parent) throw new Refusal('validation_failed', '`parent_id` must be the id of an account.');
  if (splitIds(parent.ancestors).length + 2 > MAX_LEVELS)
    throw new Refusal('validation_failed', `\`parent_id\` must be an account on one of the upper ${MAX_LEVELS - 1} levels.`);
  await tx.run(sql.placeBelow, id, parentId);
}

/** @throws Refusal `validation_failed` unless the wallet is one of an account above */
async function setRevenueShare(tx: Tx, id: string, millionths: number | undefined, walletId: string | undefined): Promise<void> {
  const account = requireFound(await tx.first(sql.findAccount, id));
  const wallet = walletId ?? account.revenue_wallet_id;
  const owner = wallet !== null && isId(wallet) ? (await tx.first(sql.findAccountOfWallet, wallet))?.account_id : undefined;
  if (owner === undefined || !splitIds(account.ancestors).includes(owner))
    throw new Refusal(
      'validation_failed',
      walletId === undefined
        ? '`share_millionths` must be sent with `revenue_wallet_id`, a wallet of an account above this one.'
        : '`revenue_wallet_id` must be a wallet of an account above this one.',
    );
  await tx.run(sql.setRevenueShare, id, millionths ?? null, walletId ?? null);
}

async function applyChanges(tx: Tx, id: string, { role, status, email, max_wallets: maxWallets, ...share }: AccountChanges): Promise<void> {
  const { share_millionths: millionths, revenue_wallet_id: walletId } = share;
  if (millionths !== undefined || walletId !== undefined) await setRevenueShare(tx, id, millionths, walletId);
  if (status !== undefined) await tx.first(sql.lockForStatus, id);
  await tx.run(sql.updateAccount, id, role ?? null, status ?? null, email ?? null, maxWallets ?? null);
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

function accountFromRow({ ancestors, ...row }: sql.DirectoryRow, nowSeconds: number) {
  const hasLink = row.setup_expires_at !== null && row.setup_expires_at > nowSeconds;
  return {
    ...row,
    parent_id: splitIds(ancestors)[0] ?? null,
    has_password: row.has_password === 1,
    has_totp: row.has_totp === 1,
    setup_expires_at: hasLink ? row.setup_expires_at : null,
  };
}

/** Returns the fields that a change sets, with the values before and after. */
function changesOf(changes: AccountChanges, before?: Account): FieldChange[] {
  const names = (Object.keys(changes) as (keyof AccountChanges)[]).filter((name) => changes[name] !== undefined);
  return names.map((field) => ({ field, before: textOf(before?.[field]), after: textOf(changes[field]) }));
}

function textOf(value: string | number | null | undefined): string | null {
  return value === null || value === undefined ? null : String(value);
}
