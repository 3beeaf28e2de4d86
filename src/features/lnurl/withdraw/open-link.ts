import { timingSafeEqual } from 'node:crypto';
import type { Key } from '../../../core/accounts/accounts.ts';
import { remainingLimit } from '../../../core/budgets/budgets.ts';
import { periodStart } from '../../../core/budgets/limits.ts';
import { invariant } from '../../../core/kernel/assert.ts';
import { type Clock, unixSeconds } from '../../../core/kernel/clock.ts';
import { MAX_MSAT, type Msat, minMsat, msat, satToMsat } from '../../../core/kernel/money.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import { CLAIM_FEE_RULE, feeLimit, maxPayable } from '../../../core/payments/fee-limit.ts';
import type { Wallet } from '../../../core/wallets/wallets.ts';
import { tokenHash } from '../lnurl.ts';
import { balancePeriod, balanceRootOf, k1Of, linkOfBalanceText, openBalanceText, sealBalanceText } from './tokens.ts';
import * as sql from './withdraw-links.sql.ts';
import type { WithdrawLinkOptions } from './withdraw-links.ts';

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

/** A link that was identified by a valid token or `k1`. */
interface IdentifiedLink {
  readonly link: sql.ClaimableRow;
  readonly k1: string;
  /** The token for the callback; undefined if the link was identified by `k1` alone. */
  readonly token: string | undefined;
  /** The token for the next balance check (LUD-14), if it is known. */
  readonly balanceToken: string | undefined;
}

/** A link whose wallet is the one in the path of the request. */
export type FoundLink = IdentifiedLink & { readonly wallet: Wallet };

/** Returns the same error for an unknown token, another wallet's path and a wrong `k1`, so that guessing reveals nothing. @throws Refusal */
export async function findLink(options: WithdrawLinkOptions, { pathKey, token, k1 }: WithdrawRequest): Promise<FoundLink> {
  const [found, resolved] = await Promise.all([identifyLink(options, token, k1), options.wallets.resolve(pathKey)]);
  if (!found || resolved?.wallet.id !== found.link.wallet_id) throw new Refusal('link_unusable', 'This withdraw link is not valid.');
  return { ...found, wallet: resolved.wallet };
}

async function identifyLink(
  options: WithdrawLinkOptions,
  token: string | undefined,
  k1: string | undefined,
): Promise<IdentifiedLink | undefined> {
  if (token === undefined) return k1 === undefined ? undefined : findByK1(options, k1);
  const found = await findByToken(options, token);
  return found && (k1 === undefined || isSameText(k1, found.expectedK1)) ? found : undefined;
}

async function findByK1({ database, clock }: WithdrawLinkOptions, k1: string): Promise<IdentifiedLink | undefined> {
  const linkId = linkOfBalanceText(k1);
  const day = startOfDay(clock);
  const link = await (linkId === undefined ? database.first(sql.findByK1, day, tokenHash(k1)) : database.first(sql.findById, day, linkId));
  if (!link || (linkId !== undefined && !openBalanceText('k1', link, k1, unixSeconds(clock)))) return undefined;
  return { link, k1, token: undefined, balanceToken: undefined };
}

/** Finds a link by its `ott` or the token of a balance check. `expectedK1` is the `k1` that a claim with this token must have. */
async function findByToken(
  { database, clock }: WithdrawLinkOptions,
  token: string,
): Promise<(IdentifiedLink & { readonly expectedK1: string }) | undefined> {
  const linkId = linkOfBalanceText(token);
  const [now, day] = [unixSeconds(clock), startOfDay(clock)];
  const period = balancePeriod(now);
  if (linkId === undefined) {
    const link = await database.first(sql.findByToken, day, tokenHash(token));
    const k1 = k1Of(token);
    return link && { link, k1, expectedK1: k1, token, balanceToken: sealBalanceText('token', link, balanceRootOf(token), period) };
  }
  const link = await database.first(sql.findById, day, linkId);
  const opened = link && openBalanceText('token', link, token, now);
  if (!opened) return undefined;
  const { root } = opened;
  const renewed = sealBalanceText('token', link, root, period);
  const expectedK1 = sealBalanceText('k1', link, root, opened.period);
  return { link, k1: sealBalanceText('k1', link, root, period), expectedK1, token: renewed, balanceToken: renewed };
}

function isSameText(a: string, b: string): boolean {
  const [x, y] = [Buffer.from(a), Buffer.from(b)];
  return x.length === y.length && timingSafeEqual(x, y);
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

/** Returns what can be withdrawn now. @throws Refusal if the link cannot be claimed now */
export async function requireOpenLink(
  options: WithdrawLinkOptions,
  { link, wallet }: { link: sql.ClaimableRow; wallet: Wallet },
): Promise<OpenAmounts> {
  await requireUsable(options, link);
  if (wallet.status !== 'active') throw new Refusal('wallet_inactive');
  const madeBy = await requireValidMaker(options, link);
  const remainingMsat = (await remainingLimit(options, madeBy?.limits)) ?? MAX_MSAT;
  if (remainingMsat === 0) throw new Refusal('budget_exceeded', 'The budget of this link is used up for now.');
  const dayMsat = link.daily_limit_msat === null ? MAX_MSAT : msat(Math.max(0, link.daily_limit_msat - link.day_msat));
  const { spendableMsat } = await options.ledger.balance(link.ledger_account);
  const payableMsat = largestClaim(link, minMsat(minMsat(remainingMsat, dayMsat), spendableMsat));
  if (payableMsat === 0) {
    if (largestClaim(link, dayMsat) === 0) throw dayUsedUp();
    throw new Refusal('insufficient_balance', 'The wallet of this link has nothing to withdraw now.');
  }
  const maxMsat = link.max_msat === null ? payableMsat : minMsat(msat(link.max_msat), payableMsat);
  const totalMsat = link.uses_left === null ? undefined : msat(Math.min(link.uses_left * maxMsat, payableMsat));
  return { maxMsat, payableMsat, totalMsat, madeBy };
}

export function dayUsedUp(): Refusal {
  return new Refusal('link_unusable', 'The daily limit of this withdraw link is used up. It is renewed at midnight UTC.');
}

/** Returns the fee limit of a claim. */
export function claimFeeLimit(link: sql.LinkRow, amountMsat: Msat): Msat {
  return link.fee_limit_msat === null ? feeLimit(CLAIM_FEE_RULE, amountMsat) : msat(link.fee_limit_msat);
}

/** Returns the largest amount whose fee limit is also available, because the routing fee is paid from the same balance and limits. */
function largestClaim(link: sql.LinkRow, availableMsat: Msat): Msat {
  return link.fee_limit_msat === null ? maxPayable(CLAIM_FEE_RULE, availableMsat) : msat(Math.max(0, availableMsat - link.fee_limit_msat));
}

async function requireUsable({ payments, clock }: WithdrawLinkOptions, link: sql.LinkRow): Promise<void> {
  if (link.revoked_at !== null) throw new Refusal('link_unusable', 'This withdraw link was revoked.');
  if (link.expires_at !== null && link.expires_at <= unixSeconds(clock))
    throw new Refusal('link_unusable', 'This withdraw link has expired.');
  if (link.uses_left !== 0) return;
  const busy = await payments.isLinkBusy(link.id);
  throw new Refusal('link_unusable', busy ? 'A withdrawal with this link is in progress.' : 'This withdraw link has been used.');
}

export const MAKER_INVALID = 'The key that made this withdraw link is revoked or expired.';

/** Returns the key that created the link. @throws Refusal unless a key of its lineage is valid. */
async function requireValidMaker({ accounts }: WithdrawLinkOptions, link: sql.LinkRow): Promise<Key | undefined> {
  const key = link.made_by === null ? undefined : await accounts.findById(link.made_by);
  if (key && !(await accounts.isLineageValid(key))) throw new Refusal('link_unusable', MAKER_INVALID);
  return key;
}

/** Returns the URL of step 1. It contains the wallet's public key, which has no rights without a token. */
export async function linkUrl({ accounts, publicUrl }: WithdrawLinkOptions, walletId: string): Promise<string> {
  const key = await accounts.publicKeyOfWallet(walletId, 'wallet_lnurl_withdraw');
  invariant(key, `wallet ${walletId} has no public key for withdraw links`);
  return `${publicUrl}/v1/user/wallet/${key}/lnurl-process`;
}

/** Returns the start of the present day (UTC), in Unix seconds. */
export function startOfDay(clock: Clock): number {
  return periodStart('day', unixSeconds(clock));
}
