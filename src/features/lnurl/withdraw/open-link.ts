import { remainingLimit } from '../../../core/budgets/budgets.ts';
import { periodStart } from '../../../core/budgets/limits.ts';
import { type Clock, unixSeconds } from '../../../core/kernel/clock.ts';
import { MAX_MSAT, type Msat, minMsat, msat, satToMsat } from '../../../core/kernel/money.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import { CLAIM_FEE_RULE, largestAmount, maxPayableWithFee } from '../../../core/payments/fee-limit.ts';
import type { Wallet } from '../../../core/wallets/wallets.ts';
import type * as sql from './withdraw-links.sql.ts';
import type { WithdrawLinkOptions } from './withdraw-links.ts';

export const SMALLEST_WITHDRAWAL = satToMsat(1);

/** What can be withdrawn with a link now. */
export type OpenAmounts = Awaited<ReturnType<typeof requireOpenLink>>;

/** Returns what can be withdrawn now. @throws Refusal if the link cannot be claimed now */
export async function requireOpenLink(options: WithdrawLinkOptions, { link, wallet }: { link: sql.ClaimableRow; wallet: Wallet }) {
  const { accounts, ledger, fees, clock } = options;
  const end = endOfLink(link, clock);
  if (end === USED && link.is_busy === 1) throw new Refusal('link_unusable', 'A withdrawal with this link is in progress.');
  if (end !== undefined) throw new Refusal('link_unusable', end);
  if (wallet.status !== 'active') throw new Refusal('wallet_inactive');
  const madeBy = link.made_by === null ? undefined : await accounts.findById(link.made_by);
  if (madeBy && !(await accounts.isLineageValid(madeBy))) throw makerInvalid();
  const remainingMsat = (await remainingLimit(options, madeBy?.limits)) ?? MAX_MSAT;
  if (remainingMsat === 0) throw new Refusal('budget_exceeded', 'The budget of this link is used up for now.');
  const dayMsat = link.daily_limit_msat === null ? MAX_MSAT : msat(Math.max(0, link.daily_limit_msat - link.day_msat));
  const { spendableMsat } = await ledger.balance(link.ledger_account);
  const feeOf = await fees.feeFunction(wallet.id, 'link');
  const payableMsat = largestClaim(link, minMsat(minMsat(remainingMsat, dayMsat), spendableMsat), feeOf);
  if (payableMsat === 0) {
    if (largestClaim(link, dayMsat, feeOf) === 0) throw dayUsedUp();
    throw new Refusal('insufficient_balance', 'The wallet of this link has nothing to withdraw now.');
  }
  /** By one claim. `payableMsat` is without this limit. */
  const maxMsat = link.max_msat === null ? payableMsat : minMsat(msat(link.max_msat), payableMsat);
  /** By all claims that are left. A permanent link has no end of them. */
  const totalMsat = link.uses_left === null ? undefined : msat(Math.min(link.uses_left * maxMsat, payableMsat));
  return { maxMsat, payableMsat, totalMsat, madeBy };
}

/** The end of a link until a claim in flight fails. */
export const USED = 'This withdraw link has been used.';

/** Returns why a link can no longer be claimed; undefined while it can. */
export function endOfLink({ revoked_at, expires_at, uses_left }: sql.LinkRow, clock: Clock): string | undefined {
  if (revoked_at !== null) return 'This withdraw link was revoked.';
  if (expires_at !== null && expires_at <= unixSeconds(clock)) return 'This withdraw link has expired.';
  return uses_left === 0 ? USED : undefined;
}

/**
 * Returns the largest amount whose fee limit and fee of the service are also available, because both fees are paid from the same balance and
 * limits.
 */
function largestClaim({ fee_limit_msat }: sql.LinkRow, availableMsat: Msat, feeOf: ((amountMsat: Msat) => Msat) | undefined): Msat {
  if (fee_limit_msat === null) return maxPayableWithFee(CLAIM_FEE_RULE, availableMsat, feeOf);
  const most = msat(Math.max(0, availableMsat - fee_limit_msat));
  return feeOf ? largestAmount(most, (amountMsat) => amountMsat + feeOf(amountMsat) <= most) : most;
}

export function makerInvalid(): Refusal {
  return new Refusal('link_unusable', 'The key that made this withdraw link is revoked or expired.');
}

export function dayUsedUp(): Refusal {
  return new Refusal('link_unusable', 'The daily limit of this withdraw link is used up. It is renewed at midnight UTC.');
}

/** Returns the start of the present day (UTC), in Unix seconds. */
export function startOfDay(clock: Clock): number {
  return periodStart('day', unixSeconds(clock));
}
