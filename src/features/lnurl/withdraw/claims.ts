import { lineageGuard } from '../../../core/accounts/accounts.ts';
import { periodStart } from '../../../core/budgets/limits.ts';
import type { RowWrite } from '../../../core/db/row-write.ts';
import type { Statement } from '../../../core/db/statement.ts';
import { eventRow } from '../../../core/journal/events.ts';
import { invariant } from '../../../core/kernel/assert.ts';
import { type Msat, minMsat, msat, satToMsat, subMsat, ZERO_MSAT } from '../../../core/kernel/money.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import type { Bolt11 } from '../../../core/lightning/bolt11/bolt11.ts';
import { type ClaimPayment, type LinkUses, LinkUsesChanged } from '../../../core/payments/conclude.ts';
import type { Payment } from '../../../core/payments/payment.ts';
import { defaultPayLinkId } from '../../../core/wallets/wallets.ts';
import { protocolUri } from '../lnurl.ts';
import { payLinkUrl } from '../pay/pay-requests.ts';
import { storeNotice } from './balance-notices.ts';
import {
  claimFeeLimit,
  dayUsedUp,
  type FoundLink,
  findLink,
  linkUrl,
  MAKER_INVALID,
  type OpenAmounts,
  requireOpenLink,
  SMALLEST_WITHDRAWAL,
  type WithdrawRequest,
} from './open-link.ts';
import * as sql from './withdraw-links.sql.ts';
import type { WithdrawLinkOptions } from './withdraw-links.ts';

export type ClaimParameters = Awaited<ReturnType<typeof claimParameters>>;

/** Step 1: returns the amounts that can be withdrawn now, in millisatoshis (LUD-03). Changes nothing. @throws Refusal */
export async function claimParameters(options: WithdrawLinkOptions, request: WithdrawRequest) {
  const found = await findLink(options, request);
  const amounts = await requireOpenLink(options, found);
  const { link, k1, token, balanceToken } = found;
  const maxMsat = largestAmount(amounts, request);
  const [url, payLink] = await Promise.all([linkUrl(options, link.wallet_id), findPayLinkUri(options, link.wallet_id)]);
  const query = new URLSearchParams();
  if (token !== undefined) query.set('ott', token);
  if (request.numSatoshis !== undefined) query.set('num_satoshis', String(request.numSatoshis));
  return {
    tag: 'withdrawRequest' as const,
    callback: query.size > 0 ? `${url}?${query}` : url,
    k1,
    defaultDescription: link.memo,
    minWithdrawable: minMsat(SMALLEST_WITHDRAWAL, maxMsat),
    maxWithdrawable: maxMsat,
    // LUD-14. From a `k1` alone no token can be derived.
    ...(balanceToken !== undefined && { balanceCheck: `${url}?ott=${balanceToken}` }),
    ...(amounts.totalMsat !== undefined && amounts.totalMsat > maxMsat && { currentBalance: amounts.totalMsat }),
    ...(payLink !== undefined && { payLink }),
  };
}

/** LUD-19. Returns the pay link that was created with the wallet, unless it is inactive. */
async function findPayLinkUri({ payLinks, publicUrl }: WithdrawLinkOptions, walletId: string): Promise<string | undefined> {
  const link = await payLinks.find(defaultPayLinkId(walletId));
  if (link?.state !== 'active') return undefined;
  const url = payLinkUrl(publicUrl, link);
  return protocolUri('lnurlp', url) ?? url;
}

function largestAmount({ maxMsat }: OpenAmounts, { numSatoshis }: WithdrawRequest): Msat {
  return numSatoshis === undefined ? maxMsat : minMsat(maxMsat, satToMsat(numSatoshis));
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
    const claimedMsat = await payClaim(options, found, { ...amounts, maxMsat: largestAmount(amounts, request) }, invoice);
    if (request.balanceNotify === undefined) return;
    const isLast = found.link.uses_left === 1;
    const leftMsat = isLast ? ZERO_MSAT : minMsat(amounts.maxMsat, subMsat(amounts.payableMsat, claimedMsat));
    await storeNotice(options, found.link, request.balanceNotify, leftMsat);
  } catch (error) {
    // A payer that lost the response repeats the claim, and the first claim may be the reason of this error.
    if (!(error instanceof Refusal) || !(await options.payments.isClaimPaid(found.link.id, invoice))) throw error;
  }
}

/** Starts the payment of a claim. @returns its amount @throws Refusal */
async function payClaim(
  { payments, clock }: WithdrawLinkOptions,
  { link, wallet }: FoundLink,
  { maxMsat, madeBy }: OpenAmounts,
  invoice: Bolt11,
): Promise<Msat> {
  const { amountMsat } = invoice;
  if (amountMsat === undefined) throw new Refusal('invoice_amount_missing', 'The invoice must state its amount.');
  if (amountMsat > maxMsat)
    throw new Refusal('link_unusable', `The invoice must be for at most ${maxMsat} millisatoshis, which can be withdrawn now.`);
  const minimumMsat = minMsat(SMALLEST_WITHDRAWAL, maxMsat);
  if (amountMsat < minimumMsat) throw new Refusal('link_unusable', `The invoice must be for at least ${minimumMsat} millisatoshis.`);
  const feeLimitMsat = claimFeeLimit(link, amountMsat);
  const { id, user_label, memo, pass_thru } = link;
  const shownLink = { id, ...(user_label !== '' && { user_label }) };
  await payments.payInvoice({
    wallet,
    invoice,
    wtxType: 'ln_lnurl_withdraw',
    feeLimitMsat,
    // The owner of the link finds its claims by its id.
    passThru: JSON.stringify({ ...(JSON.parse(pass_thru ?? '{}') as object), lnurlw_id: id }),
    userLabel: user_label || memo || undefined,
    guards: madeBy ? [lineageGuard(madeBy, () => new Refusal('link_unusable', MAKER_INVALID))] : [],
    limits: madeBy?.limits,
    claim: {
      linkId: id,
      rows: (payment) => claimRows(link, payment, feeLimitMsat),
      event: (payment) =>
        eventRow(clock, { type: 'link_claimed', owner: payment, subject: payment.id, data: { withdraw_link: shownLink } }),
    },
  });
  return amountMsat;
}

/**
 * Returns the rows that take one use of a link, and reserve amount and fee limit within its daily limit. A claim counts on the day of its
 * payment, like a payment against the budget of a key.
 */
function claimRows(link: sql.LinkRow, payment: Payment, feeLimitMsat: Msat): readonly RowWrite[] {
  const { id, createdAt, amountMsat, invoiceId } = payment;
  const day = periodStart('day', createdAt);
  // A payment between two wallets of this service has no routing fee.
  const reservedMsat = invoiceId === undefined ? msat(amountMsat + feeLimitMsat) : amountMsat;
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
  settleUse: (claim, spentMsat) => [linkRow(claim, sql.settleDay, [claim.id, spentMsat, claim.amountMsat])],
  async takeUse(database, claim) {
    const { id, linkId, amountMsat } = claim;
    const link = await database.first(sql.readUses, linkId);
    invariant(link, `withdraw link ${linkId} is gone`);
    const use = takenUse(linkId, link);
    const overused = use?.statement === sql.overuse ? link.overused + 1 : 0;
    return { overused, rows: (spentMsat) => [...(use ? [use] : []), linkRow(claim, sql.retakeDay, [id, spentMsat, amountMsat])] };
  },
};

/** Returns the row that takes a use again, or counts one beyond the link's uses; undefined for a permanent link. */
function takenUse(linkId: string, { uses_left, overused }: { uses_left: number | null; overused: number }): RowWrite | undefined {
  if (uses_left === null) return undefined;
  const onMiss = new LinkUsesChanged();
  if (uses_left > 0) return { statement: sql.takeUse, parameters: [linkId], onMiss };
  return { statement: sql.overuse, parameters: [linkId, overused], onMiss };
}

function linkRow({ id }: ClaimPayment, statement: Statement, parameters: RowWrite['parameters']): RowWrite {
  return { statement, parameters, onMiss: () => new Error(`the withdraw link of ${id} is gone`) };
}
