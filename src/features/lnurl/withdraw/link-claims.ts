import { type Accounts, lineageGuard } from '../../../core/accounts/accounts.ts';
import type { RowWrite } from '../../../core/db/row-write.ts';
import { eventRow } from '../../../core/journal/events.ts';
import { invariant } from '../../../core/kernel/assert.ts';
import { type Msat, minMsat, satToMsat, subMsat, ZERO_MSAT } from '../../../core/kernel/money.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import type { Bolt11 } from '../../../core/lightning/bolt11/bolt11.ts';
import type { Payment } from '../../../core/payments/payment.ts';
import { defaultPayLinkId } from '../../../core/wallets/wallets.ts';
import type { PayLinks } from '../pay/pay-links.ts';
import { type NoticeDependencies, storeNotice } from './balance-notices.ts';
import { claimRows } from './link-uses.ts';
import {
  claimFeeLimit,
  type FoundLink,
  findLink,
  MAKER_INVALID,
  type OpenAmounts,
  requireOpenLink,
  SMALLEST_WITHDRAWAL,
  type WithdrawRequest,
} from './open-link.ts';
import type { LinkRow } from './withdraw-links.sql.ts';

export interface WithdrawLinkDependencies extends NoticeDependencies {
  readonly payLinks: Pick<PayLinks, 'find'>;
  /** The public URL of the service, without a trailing slash. Never taken from a request. */
  readonly publicUrl: string;
}

/** The parameters of LUD-03; amounts in millisatoshis. */
export interface WithdrawParameters {
  readonly tag: 'withdrawRequest';
  readonly callback: string;
  readonly k1: string;
  readonly defaultDescription: string;
  readonly minWithdrawable: Msat;
  readonly maxWithdrawable: Msat;
  /** LUD-14. Absent when the request has only `k1`, from which no token can be derived. */
  readonly balanceCheck?: string;
  /** LUD-14. What all claims together can withdraw, if that is more than one can. */
  readonly currentBalance?: Msat;
  /** LUD-19. The pay link that was created with the wallet, unless it is inactive. */
  readonly payLink?: string;
}

/** Step 1: returns the amounts that can be withdrawn now. Changes nothing. */
export async function parameters(deps: WithdrawLinkDependencies, request: WithdrawRequest): Promise<WithdrawParameters> {
  const found = await findLink(deps, request);
  const amounts = await requireOpenLink(deps, found);
  const { link, k1, token, balanceToken } = found;
  const maxMsat = loweredMax(amounts, request);
  const [url, payLink] = await Promise.all([linkUrl(deps, link.wallet_id), payLinkOf(deps, link.wallet_id)]);
  const query = new URLSearchParams();
  if (token !== undefined) query.set('ott', token);
  if (request.numSatoshis !== undefined) query.set('num_satoshis', String(request.numSatoshis));
  return {
    tag: 'withdrawRequest',
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

async function payLinkOf({ payLinks }: WithdrawLinkDependencies, walletId: string): Promise<string | undefined> {
  const link = await payLinks.find(defaultPayLinkId(walletId));
  return link?.status === 'active' ? (link.uri ?? link.url) : undefined;
}

/** Step 2: claims the link. Does nothing if the link pays or has paid the same invoice. */
export async function withdraw(deps: WithdrawLinkDependencies, request: WithdrawRequest, paymentRequest: string): Promise<void> {
  const found = await findLink(deps, request);
  const invoice = deps.payments.readInvoice(paymentRequest);
  try {
    const amounts = await requireOpenLink(deps, found);
    const claimedMsat = await claimLink(deps, found, { ...amounts, maxMsat: loweredMax(amounts, request) }, invoice);
    if (request.balanceNotify === undefined) return;
    const isLast = found.link.uses_left === 1;
    const leftMsat = isLast ? ZERO_MSAT : minMsat(amounts.maxMsat, subMsat(amounts.payableMsat, claimedMsat));
    await storeNotice(deps, found.link, request.balanceNotify, leftMsat);
  } catch (error) {
    // A payer that lost the response repeats the claim, and the first claim may be the reason of this error.
    if (!(error instanceof Refusal) || !(await deps.payments.isClaimPaid(found.link.id, invoice))) throw error;
  }
}

function loweredMax({ maxMsat }: OpenAmounts, { numSatoshis }: WithdrawRequest): Msat {
  return numSatoshis === undefined ? maxMsat : minMsat(maxMsat, satToMsat(numSatoshis));
}

/** Starts the payment of a claim. @returns its amount @throws Refusal */
async function claimLink(deps: WithdrawLinkDependencies, { link, wallet }: FoundLink, open: OpenAmounts, invoice: Bolt11): Promise<Msat> {
  const { maxMsat, madeBy } = open;
  const { amountMsat } = invoice;
  if (amountMsat === undefined) throw new Refusal('invoice_amount_missing', 'The invoice must state its amount.');
  if (amountMsat > maxMsat)
    throw new Refusal('link_unusable', `The invoice must be for at most ${maxMsat} millisatoshis, which can be withdrawn now.`);
  const minimumMsat = minMsat(SMALLEST_WITHDRAWAL, maxMsat);
  if (amountMsat < minimumMsat) throw new Refusal('link_unusable', `The invoice must be for at least ${minimumMsat} millisatoshis.`);
  const feeLimitMsat = claimFeeLimit(link, amountMsat);
  await deps.payments.payInvoice({
    wallet,
    invoice,
    wtxType: 'ln_lnurl_withdraw',
    feeLimitMsat,
    passThru: claimPassThru(link),
    userLabel: link.user_label || link.memo || undefined,
    guards: madeBy ? [lineageGuard(madeBy, () => new Refusal('link_unusable', MAKER_INVALID))] : [],
    limits: madeBy?.limits,
    claim: {
      linkId: link.id,
      rows: (payment) => claimRows(link, payment, feeLimitMsat),
      event: (payment) => claimEvent(deps, link, payment),
    },
  });
  return amountMsat;
}

function claimEvent({ clock }: WithdrawLinkDependencies, { id, user_label }: LinkRow, payment: Payment): RowWrite {
  const data = { withdraw_link: { id, ...(user_label !== '' && { user_label }) } };
  return eventRow(clock, { type: 'link_claimed', owner: payment, subject: payment.id, data });
}

/** Returns the link's `passThru` with the id of the link, by which its owner finds the claims. */
function claimPassThru({ id, pass_thru }: LinkRow): string {
  return JSON.stringify({ ...(pass_thru === null ? {} : (JSON.parse(pass_thru) as object)), lnurlw_id: id });
}

/** Returns the URL of step 1. It contains the wallet's public key, which has no rights without a token. */
export async function linkUrl(
  { accounts, publicUrl }: { readonly accounts: Accounts; readonly publicUrl: string },
  walletId: string,
): Promise<string> {
  const key = await accounts.publicKeyOfWallet(walletId, 'wallet_lnurl_withdraw');
  invariant(key, `wallet ${walletId} has no public key for withdraw links`);
  return `${publicUrl}/v1/user/wallet/${key}/lnurl-process`;
}
