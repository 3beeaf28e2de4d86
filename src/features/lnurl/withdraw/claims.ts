import { timingSafeEqual } from 'node:crypto';
import { type Key, lineageGuard, termsOfKey } from '../../../core/accounts/accounts.ts';
import { periodStart } from '../../../core/budgets/limits.ts';
import type { RowWrite } from '../../../core/db/row-write.ts';
import type { Statement } from '../../../core/db/statement.ts';
import { eventRow } from '../../../core/journal/events.ts';
import { invariant } from '../../../core/kernel/assert.ts';
import { unixSeconds } from '../../../core/kernel/clock.ts';
import type { FiatAmount } from '../../../core/kernel/fiat.ts';
import { secretHash } from '../../../core/kernel/ids.ts';
import { type Msat, minMsat, msat, satToMsat, subMsat, ZERO_MSAT } from '../../../core/kernel/money.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import type { Bolt11 } from '../../../core/lightning/bolt11/bolt11.ts';
import { type ClaimPayment, type LinkUses, LinkUsesChanged } from '../../../core/payments/conclude.ts';
import { CLAIM_FEE_RULE, feeLimit } from '../../../core/payments/fee-limit.ts';
import type { Payment } from '../../../core/payments/payment.ts';
import { defaultPayLinkId } from '../../../core/wallets/wallets.ts';
import { protocolUri } from '../lnurl.ts';
import { payLinkUrl } from '../pay/pay-requests.ts';
import { storeNotice } from './balance-notices.ts';
import { dayUsedUp, makerInvalid, type OpenAmounts, requireOpenLink, SMALLEST_WITHDRAWAL, startOfDay } from './open-link.ts';
import { k1Of, linkOfBalanceToken, openBalanceToken, sealBalanceToken } from './tokens.ts';
import * as sql from './withdraw-links.sql.ts';
import type { WithdrawLinkOptions } from './withdraw-links.ts';

/** The key in the path of a claim, and its query. */
export interface WithdrawRequest {
  readonly key: string;
  /** The `ott` or the token of a balance check. Without it, `k1` identifies the link. */
  readonly ott?: string | undefined;
  readonly k1?: string | undefined;
  /** Lowers the maximum amount; never raises it. */
  readonly num_satoshis?: number | undefined;
  /** Step 2: an address to call when more can be withdrawn (LUD-15). */
  readonly balanceNotify?: string | undefined;
}

/**
 * Finds the link of a request by its `ott`, the token of a balance check, or a `k1`. A `k1` must be that of the token. Returns with the link
 * the `k1` and the token of the callback, and the token of the next balance check (LUD-14). A request without a token gets no tokens.
 */
async function identifyLink({ database, clock }: WithdrawLinkOptions, { ott: token, k1 }: WithdrawRequest) {
  const text = token ?? k1;
  if (text === undefined) return undefined;
  const checkedId = linkOfBalanceToken(text);
  const expectedK1 = token !== undefined && checkedId === undefined ? k1Of(token) : text;
  if (k1 !== undefined && !isSameText(k1, expectedK1)) return undefined;
  const now = unixSeconds(clock);
  const link = await (checkedId === undefined
    ? database.first(sql.findByK1, startOfDay(clock), secretHash(expectedK1))
    : database.first(sql.findById, startOfDay(clock), checkedId));
  const linkK1 = link && (checkedId === undefined ? expectedK1 : openBalanceToken(link, text, now));
  if (!link || linkK1 === undefined) return undefined;
  if (token === undefined) return { link, k1: text };
  const balanceToken = sealBalanceToken(link, linkK1, now);
  return checkedId === undefined
    ? { link, k1: linkK1, token, balanceToken }
    : { link, k1: balanceToken, token: balanceToken, balanceToken };
}

function isSameText(a: string, b: string): boolean {
  return timingSafeEqual(secretHash(a), secretHash(b));
}

type FoundLink = Awaited<ReturnType<typeof findLink>>;

/** Returns the same error for an unknown token, another wallet's path and a wrong `k1`, so that guessing reveals nothing. @throws Refusal */
async function findLink(options: WithdrawLinkOptions, request: WithdrawRequest) {
  const [found, resolved] = await Promise.all([identifyLink(options, request), options.wallets.resolve(request.key)]);
  if (!found || resolved?.wallet.id !== found.link.wallet_id) throw new Refusal('link_unusable', 'This withdraw link is not valid.');
  return { ...found, wallet: resolved.wallet };
}

/** Returns the URL of step 1. It contains the wallet's public key, which has no rights without a token. */
export function linkUrl({ publicUrl }: WithdrawLinkOptions, { public_key }: sql.LinkRow): string {
  return `${publicUrl}/v1/user/wallet/${public_key}/lnurl-process`;
}

export type ClaimParameters = Awaited<ReturnType<typeof claimParameters>>;

/** Step 1: returns the amounts that can be withdrawn now, in millisatoshis (LUD-03). Changes nothing. @throws Refusal */
export async function claimParameters(options: WithdrawLinkOptions, request: WithdrawRequest) {
  const found = await findLink(options, request);
  await options.withdrawals.requireAllowed();
  const amounts = await requireOpenLink(options, found);
  const { link, k1, token, balanceToken } = found;
  const maxMsat = largestAmount(amounts, request);
  const url = linkUrl(options, link);
  const payLink = await findPayLinkUri(options, link.wallet_id);
  const query = new URLSearchParams();
  if (token !== undefined) query.set('ott', token);
  if (request.num_satoshis !== undefined) query.set('num_satoshis', String(request.num_satoshis));
  return {
    tag: 'withdrawRequest' as const,
    callback: query.size > 0 ? `${url}?${query}` : url,
    k1,
    defaultDescription: link.memo,
    minWithdrawable: minMsat(SMALLEST_WITHDRAWAL, maxMsat),
    maxWithdrawable: maxMsat,
    ...(balanceToken !== undefined && { balanceCheck: `${url}?ott=${balanceToken}` }),
    ...(amounts.totalMsat !== undefined && amounts.totalMsat > maxMsat && { currentBalance: amounts.totalMsat }),
    ...(payLink !== undefined && { payLink }),
  };
}

/** LUD-19. Returns the pay link that was created with the wallet, unless it is inactive or has no address of LUD-17. */
async function findPayLinkUri({ payLinks, publicUrl }: WithdrawLinkOptions, walletId: string): Promise<string | undefined> {
  const link = await payLinks.find(defaultPayLinkId(walletId));
  if (link?.state !== 'active') return undefined;
  return protocolUri('lnurlp', payLinkUrl(publicUrl, link));
}

function largestAmount({ maxMsat }: OpenAmounts, { num_satoshis: sat }: WithdrawRequest): Msat {
  return sat === undefined ? maxMsat : minMsat(maxMsat, satToMsat(sat));
}

/**
 * Step 2: takes one use of the link and starts the payment of the invoice, in one database transaction. Repeating a claim that is pending or
 * was paid takes no further use. @throws Refusal
 */
export async function claimLink(options: WithdrawLinkOptions, request: WithdrawRequest, paymentRequest: string): Promise<void> {
  const found = await findLink(options, request);
  const invoice = options.payments.readInvoice(paymentRequest);
  try {
    const amounts = await requireOpenLink(options, found);
    const claimedMsat = requireClaimable(invoice, largestAmount(amounts, request));
    await payClaim(options, found, amounts.madeBy, { invoice, claimedMsat });
    if (request.balanceNotify === undefined) return;
    const isLast = found.link.uses_left === 1;
    const leftMsat = isLast ? ZERO_MSAT : minMsat(amounts.maxMsat, subMsat(amounts.payableMsat, claimedMsat));
    await storeNotice(options, found.link, request.balanceNotify, leftMsat);
  } catch (error) {
    // A payer that lost the response repeats the claim, and the first claim may be the reason of this error.
    if (!(error instanceof Refusal) || !(await options.payments.isClaimPaid(found.link.id, invoice))) throw error;
  }
}

/** Returns the amount of an invoice. @throws Refusal unless it can be withdrawn now */
function requireClaimable({ amountMsat }: Bolt11, maxMsat: Msat): Msat {
  if (amountMsat === undefined) throw new Refusal('invoice_amount_missing', 'The invoice must state its amount.');
  if (amountMsat > maxMsat)
    throw new Refusal('link_unusable', `The invoice must be for at most ${maxMsat} millisatoshis, which can be withdrawn now.`);
  const minimumMsat = minMsat(SMALLEST_WITHDRAWAL, maxMsat);
  if (amountMsat < minimumMsat) throw new Refusal('link_unusable', `The invoice must be for at least ${minimumMsat} millisatoshis.`);
  return amountMsat;
}

/** Starts the payment of a claim. @throws Refusal */
async function payClaim(
  { payments, clock }: WithdrawLinkOptions,
  { link, wallet }: FoundLink,
  madeBy: Key | undefined,
  { invoice, claimedMsat }: { invoice: Bolt11; claimedMsat: Msat },
): Promise<void> {
  const { id, user_label, memo, pass_thru, fee_limit_msat, fiat, max_msat } = link;
  const feeLimitMsat = fee_limit_msat === null ? feeLimit(CLAIM_FEE_RULE, claimedMsat) : msat(fee_limit_msat);
  const shownLink = { id, ...(user_label !== '' && { user_label }) };
  await payments.payInvoice({
    wallet,
    invoice,
    wtxType: 'ln_lnurl_withdraw',
    feeLimitMsat,
    // Of a part, the price is not known: the rate may be old.
    fiat: fiat !== null && claimedMsat === max_msat ? (JSON.parse(fiat) as FiatAmount) : undefined,
    // The owner of the link finds its claims by its id.
    passThru: JSON.stringify({ ...(JSON.parse(pass_thru ?? '{}') as object), lnurlw_id: id }),
    userLabel: user_label || memo || undefined,
    guards: madeBy ? [lineageGuard(madeBy, makerInvalid)] : [],
    ...(madeBy && termsOfKey(madeBy)),
    claim: {
      linkId: id,
      rows: (payment) => claimRows(link, payment, feeLimitMsat),
      event: (payment) =>
        eventRow(clock, { type: 'link_claimed', owner: payment, subject: payment.id, data: { withdraw_link: shownLink } }),
    },
  });
}

/**
 * Returns the rows that take one use of a link, and reserve amount, fee of the service and fee limit within its daily limit. A claim counts on the day of its
 * payment, like a payment against the budget of a key.
 */
function claimRows(link: sql.LinkRow, payment: Payment, feeLimitMsat: Msat): readonly RowWrite[] {
  const { id, createdAt, amountMsat, invoiceId, serviceFeeMsat = ZERO_MSAT } = payment;
  const day = periodStart('day', createdAt);
  // A payment between two wallets of this service has no routing fee.
  const reservedMsat = msat(amountMsat + serviceFeeMsat + (invoiceId === undefined ? feeLimitMsat : 0));
  return [
    { statement: sql.claimUse, parameters: [link.id, createdAt], onMiss: linkUsed },
    { statement: sql.reserveDay, parameters: [link.id, day, reservedMsat, link.daily_limit_msat], onMiss: dayUsedUp },
    { statement: sql.insertClaim, parameters: [id, link.id, day, reservedMsat], onMiss: () => new Error('the claim was not stored') },
  ];
}

function linkUsed(): Refusal {
  return new Refusal('link_unusable', 'This withdraw link has been used, or was revoked.');
}

/** The rows that payments write when a claim ends. */
export const linkUses: LinkUses = {
  releaseUse: (claim) => [linkRow(claim, sql.releaseUse, [claim.linkId]), linkRow(claim, sql.releaseDay, [claim.id])],
  settleUse: (claim, spentMsat) => [linkRow(claim, sql.settleDay, [claim.id, spentMsat, claim.amountMsat]), countRow(claim)],
  async readOveruse(database, { linkId }) {
    const link = await database.first(sql.readOveruse, linkId);
    invariant(link, `withdraw link ${linkId} is gone`);
    return link.overuse;
  },
  retakeUse: (claim, spentMsat, overused) => [
    { statement: sql.retakeUse, parameters: [claim.linkId, overused], onMiss: new LinkUsesChanged() },
    linkRow(claim, sql.retakeDay, [claim.id, spentMsat, claim.amountMsat]),
    countRow(claim),
  ],
};

function countRow(claim: ClaimPayment): RowWrite {
  return linkRow(claim, sql.countClaim, [claim.linkId, claim.amountMsat, claim.createdAt]);
}

function linkRow({ id }: ClaimPayment, statement: Statement, parameters: RowWrite['parameters']): RowWrite {
  return { statement, parameters, onMiss: () => new Error(`the withdraw link of ${id} is gone`) };
}
