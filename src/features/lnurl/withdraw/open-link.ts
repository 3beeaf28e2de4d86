import { timingSafeEqual } from 'node:crypto';
import type { Accounts, Key } from '../../../core/accounts/accounts.ts';
import { remainingLimit } from '../../../core/budgets/budgets.ts';
import { periodStart } from '../../../core/budgets/limits.ts';
import type { Database } from '../../../core/db/database.ts';
import { type Clock, unixSeconds } from '../../../core/kernel/clock.ts';
import { MAX_MSAT, type Msat, minMsat, msat, satToMsat } from '../../../core/kernel/money.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import type { Ledger } from '../../../core/ledger/ledger.ts';
import { CLAIM_FEE_RULE, feeLimit, maxPayable } from '../../../core/payments/fee-limit.ts';
import type { Payments } from '../../../core/payments/payments.ts';
import type { Wallet, Wallets } from '../../../core/wallets/wallets.ts';
import { tokenHash } from '../token.ts';
import { balancePeriod, linkOfBalanceText, openBalanceText, sealBalanceText } from './balance-token.ts';
import { dayUsedUp } from './link-uses.ts';
import * as sql from './withdraw-links.sql.ts';
import { balanceRootOf, k1Of } from './withdraw-token.ts';

export interface OpenLinkDependencies {
  readonly database: Database;
  readonly ledger: Ledger;
  readonly accounts: Accounts;
  readonly wallets: Wallets;
  readonly payments: Payments;
  readonly clock: Clock;
}

/** The parameters of a claim. The link is identified by `token`, or by `k1` if there is no token. */
export interface WithdrawRequest {
  readonly pathKey: string;
  /** The parameter `ott`. */
  readonly token: string | undefined;
  readonly k1: string | undefined;
  /** Lowers the maximum amount; never raises it. */
  readonly numSatoshis: number | undefined;
  /** Step 2: an address to call when more can be withdrawn (LUD-15). */
  readonly balanceNotify?: string | undefined;
}

export const SMALLEST_WITHDRAWAL = satToMsat(1);

/** A link that was identified by a valid token or `k1` and by its wallet. */
export interface FoundLink {
  readonly link: sql.ClaimableRow;
  readonly wallet: Wallet;
  readonly k1: string;
  /** The token for the callback; undefined if the link was identified by `k1` alone. */
  readonly token: string | undefined;
  /** The token for the next balance check (LUD-14), if it is known. */
  readonly balanceToken: string | undefined;
}

/** What can be withdrawn with a link now. */
export interface OpenAmounts {
  /** By one claim. */
  readonly maxMsat: Msat;
  /** What the balance and the limits allow, without the limit of one claim. */
  readonly payableMsat: Msat;
  /** By all claims that are left; undefined for a permanent link, which has no end of them. */
  readonly totalMsat: Msat | undefined;
  /** The key that created the link. */
  readonly madeBy: Key | undefined;
}

const UNUSABLE = 'This withdraw link is not valid.';

/** Returns the same error for an unknown token, another wallet's path and a wrong `k1`, so that guessing reveals nothing. */
export async function findLink(deps: OpenLinkDependencies, { pathKey, token, k1 }: WithdrawRequest): Promise<FoundLink> {
  const [found, resolved] = await Promise.all([findByTokenOrK1(deps, token, k1), deps.wallets.resolve(pathKey)]);
  if (!found || !resolved || resolved.wallet.id !== found.link.wallet_id) throw new Refusal('link_unusable', UNUSABLE);
  return { ...found, wallet: resolved.wallet };
}

type Identified = Omit<FoundLink, 'wallet'>;

async function findByTokenOrK1(
  deps: OpenLinkDependencies,
  token: string | undefined,
  k1: string | undefined,
): Promise<Identified | undefined> {
  if (token === undefined) return k1 === undefined ? undefined : findByK1(deps, k1);
  const found = (await findByBalanceToken(deps, token)) ?? (await findByToken(deps, token));
  return found && (k1 === undefined || isSameText(k1, found.expectedK1)) ? found : undefined;
}

async function findByK1({ database, clock }: OpenLinkDependencies, k1: string): Promise<Identified | undefined> {
  const linkId = linkOfBalanceText(k1);
  const day = dayOf(clock);
  const link = await (linkId === undefined ? database.first(sql.findByK1, day, tokenHash(k1)) : database.first(sql.findById, day, linkId));
  if (!link || (linkId !== undefined && !openBalanceText('k1', link, k1, unixSeconds(clock)))) return undefined;
  return { link, k1, token: undefined, balanceToken: undefined };
}

/** A link, and the `k1` that a claim with the same token must have. */
type FoundByToken = Identified & { readonly expectedK1: string };

async function findByBalanceToken({ database, clock }: OpenLinkDependencies, token: string): Promise<FoundByToken | undefined> {
  const linkId = linkOfBalanceText(token);
  const link = linkId === undefined ? undefined : await database.first(sql.findById, dayOf(clock), linkId);
  const opened = link && openBalanceText('token', link, token, unixSeconds(clock));
  if (!opened) return undefined;
  return { ...balanceCheck(link, opened.root, clock), expectedK1: sealBalanceText('k1', link, opened.root, opened.period) };
}

async function findByToken({ database, clock }: OpenLinkDependencies, token: string): Promise<FoundByToken | undefined> {
  const hash = tokenHash(token);
  const link = await database.first(sql.findByToken, dayOf(clock), hash);
  if (!link) return undefined;
  const k1 = k1Of(token);
  // Version 0.1.0 returned the root itself as the token of balance checks.
  if (Buffer.compare(link.balance_token_hash, hash) === 0) return { ...balanceCheck(link, token, clock), expectedK1: k1 };
  return { link, k1, token, balanceToken: balanceCheck(link, balanceRootOf(token), clock).token, expectedK1: k1 };
}

/** The tokens of a balance check are those of the present period. */
function balanceCheck(link: sql.ClaimableRow, root: string, clock: Clock): Identified & { readonly token: string } {
  const period = balancePeriod(unixSeconds(clock));
  const token = sealBalanceText('token', link, root, period);
  return { link, token, k1: sealBalanceText('k1', link, root, period), balanceToken: token };
}

/** Returns what can be withdrawn now. @throws Refusal if the link cannot be claimed now */
export async function requireOpenLink(
  deps: OpenLinkDependencies,
  { link, wallet }: { link: sql.ClaimableRow; wallet: Wallet },
): Promise<OpenAmounts> {
  await requireUsable(deps, link);
  if (wallet.status !== 'active') throw new Refusal('wallet_inactive');
  const madeBy = await requireValidMaker(deps, link);
  const remainingMsat = (await remainingLimit(deps, madeBy?.limits)) ?? MAX_MSAT;
  if (remainingMsat === 0) throw new Refusal('budget_exceeded', 'The budget of this link is used up for now.');
  const dayMsat = link.daily_limit_msat === null ? MAX_MSAT : msat(Math.max(0, link.daily_limit_msat - link.day_msat));
  const { spendableMsat } = await deps.ledger.balance(link.ledger_account);
  const payableMsat = payableOf(link, minMsat(minMsat(remainingMsat, dayMsat), spendableMsat));
  if (payableMsat === 0) {
    if (payableOf(link, dayMsat) === 0) throw dayUsedUp();
    throw new Refusal('insufficient_balance', 'The wallet of this link has nothing to withdraw now.');
  }
  const maxMsat = link.max_msat === null ? payableMsat : minMsat(msat(link.max_msat), payableMsat);
  const totalMsat = link.uses_left === null ? undefined : msat(Math.min(link.uses_left * maxMsat, payableMsat));
  return { maxMsat, payableMsat, totalMsat, madeBy };
}

/** Returns the fee limit of a claim. */
export function claimFeeLimit(link: sql.LinkRow, amountMsat: Msat): Msat {
  return link.fee_limit_msat === null ? feeLimit(CLAIM_FEE_RULE, amountMsat) : msat(link.fee_limit_msat);
}

/** Returns the largest amount whose fee limit is also available, because the routing fee is paid from the same balance and limits. */
function payableOf(link: sql.LinkRow, availableMsat: Msat): Msat {
  return link.fee_limit_msat === null ? maxPayable(CLAIM_FEE_RULE, availableMsat) : msat(Math.max(0, availableMsat - link.fee_limit_msat));
}

async function requireUsable({ payments, clock }: OpenLinkDependencies, link: sql.LinkRow): Promise<void> {
  if (link.revoked_at !== null) throw new Refusal('link_unusable', 'This withdraw link was revoked.');
  if (link.expires_at !== null && link.expires_at <= unixSeconds(clock))
    throw new Refusal('link_unusable', 'This withdraw link has expired.');
  if (link.uses_left !== 0) return;
  const busy = await payments.isLinkBusy(link.id);
  throw new Refusal('link_unusable', busy ? 'A withdrawal with this link is in progress.' : 'This withdraw link has been used.');
}

export const MAKER_INVALID = 'The key that made this withdraw link is revoked or expired.';

/** Returns the key that created the link. @throws Refusal unless a key of its lineage is valid. */
async function requireValidMaker({ accounts }: OpenLinkDependencies, link: sql.LinkRow): Promise<Key | undefined> {
  const key = link.made_by === null ? undefined : await accounts.findById(link.made_by);
  if (key && !(await accounts.isLineageValid(key))) throw new Refusal('link_unusable', MAKER_INVALID);
  return key;
}

/** Returns the start of the present day (UTC), in Unix seconds. */
export function dayOf(clock: Clock): number {
  return periodStart('day', unixSeconds(clock));
}

function isSameText(a: string, b: string): boolean {
  const [x, y] = [Buffer.from(a), Buffer.from(b)];
  return x.length === y.length && timingSafeEqual(x, y);
}
