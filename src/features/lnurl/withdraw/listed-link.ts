import type { Accounts } from '../../../core/accounts/accounts.ts';
import type { Database, SqlReader } from '../../../core/db/database.ts';
import { type Clock, unixSeconds } from '../../../core/kernel/clock.ts';
import { isId } from '../../../core/kernel/ids.ts';
import { type Msat, msat } from '../../../core/kernel/money.ts';
import { dayOf } from './open-link.ts';
import * as sql from './withdraw-links.sql.ts';

/** A withdraw link as its owner sees it: without its tokens, which are not stored. Times are Unix seconds. */
export interface ListedLink {
  readonly id: string;
  readonly walletId: string;
  /** For the owner. */
  readonly userLabel: string;
  /** For the claimers. */
  readonly memo: string;
  /** JSON text. */
  readonly passThru: string | undefined;
  /** The limit of one claim; undefined: the balance. */
  readonly maxMsat: Msat | undefined;
  /** The fee limit of one claim; undefined: 1 % of its amount, at least 1 sat. */
  readonly feeLimitMsat: Msat | undefined;
  /** Undefined for a permanent link. */
  readonly uses: number | undefined;
  readonly usesLeft: number | undefined;
  /** The limit of one day (UTC), with routing fees. */
  readonly dailyLimitMsat: Msat | undefined;
  readonly dailySpentMsat: Msat;
  readonly dailyPendingMsat: Msat;
  /** The number of claims that are pending or were paid. */
  readonly claims: number;
  /** What was paid to claimers, without routing fees. */
  readonly claimedMsat: Msat;
  /** What pending claims reserve, with their fee limits. */
  readonly pendingMsat: Msat;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly revokedAt: number | undefined;
  /** Whether it can be claimed if the wallet's balance covers a claim. */
  readonly isActive: boolean;
}

export interface LinkListDependencies {
  readonly database: Database;
  readonly accounts: Accounts;
  readonly clock: Clock;
}

/** A page of links, newest first: by number, or after an id. */
export interface LinkPage {
  readonly limit: number;
  readonly offset: number;
  readonly after: string | undefined;
}

/** Sorts after every id. */
const NEWEST = '~';

/** Returns a page of a wallet's links and their number; undefined if `after` is none of them. */
export async function listLinks(
  deps: LinkListDependencies,
  walletId: string,
  { limit, offset, after }: LinkPage,
): Promise<{ links: ListedLink[]; total: number } | undefined> {
  const { database, clock } = deps;
  if (after !== undefined && !(await findListedLink(deps, walletId, after))) return undefined;
  const [rows, count] = await Promise.all([
    database.all(sql.listOfWallet, dayOf(clock), walletId, after ?? NEWEST, limit, offset),
    database.first(sql.countOfWallet, walletId),
  ]);
  return { links: await listedOf(deps, rows), total: count?.n ?? 0 };
}

export async function findListedLink(deps: LinkListDependencies, walletId: string, id: string): Promise<ListedLink | undefined> {
  const row = isId(id) ? await deps.database.first(sql.findOfWallet, dayOf(deps.clock), walletId, id) : undefined;
  return row && (await listedOf(deps, [row]))[0];
}

/** Reads a link in the transaction that creates or revokes it. The key that made it counts as valid. */
export async function readListedLink(tx: SqlReader, clock: Clock, walletId: string, id: string): Promise<ListedLink | undefined> {
  const row = await tx.first(sql.findOfWallet, dayOf(clock), walletId, id);
  return row && rowToListed(row, unixSeconds(clock), true);
}

async function listedOf({ accounts, clock }: LinkListDependencies, rows: readonly sql.CountedRow[]): Promise<ListedLink[]> {
  const makers = new Set(rows.flatMap(({ made_by }) => made_by ?? []));
  const invalid = new Set<string>();
  for (const id of makers) {
    const key = await accounts.findById(id);
    if (key && !(await accounts.isLineageValid(key))) invalid.add(id);
  }
  const now = unixSeconds(clock);
  return rows.map((row) => rowToListed(row, now, row.made_by === null || !invalid.has(row.made_by)));
}

function rowToListed(row: sql.CountedRow, nowSeconds: number, isMakerValid: boolean): ListedLink {
  const isExpired = row.expires_at !== null && row.expires_at <= nowSeconds;
  return {
    id: row.id,
    walletId: row.wallet_id,
    userLabel: row.user_label,
    memo: row.memo,
    passThru: row.pass_thru ?? undefined,
    maxMsat: optionalMsat(row.max_msat),
    feeLimitMsat: optionalMsat(row.fee_limit_msat),
    uses: row.uses ?? undefined,
    usesLeft: row.uses_left ?? undefined,
    dailyLimitMsat: optionalMsat(row.daily_limit_msat),
    dailySpentMsat: msat(row.day_spent_msat),
    dailyPendingMsat: msat(row.day_pending_msat),
    claims: row.claims,
    claimedMsat: msat(row.claimed_msat),
    pendingMsat: msat(row.pending_msat),
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    isActive: row.revoked_at === null && !isExpired && row.uses_left !== 0 && isMakerValid,
  };
}

function optionalMsat(value: number | null): Msat | undefined {
  return value === null ? undefined : msat(value);
}
