import { timingSafeEqual } from 'node:crypto';
import { type Accounts, type Key, lineageGuard } from '../../accounts/accounts.ts';
import { remainingLimit } from '../../budgets/budgets.ts';
import type { Database } from '../../db/database.ts';
import { invariant } from '../../kernel/assert.ts';
import { type Clock, unixSeconds } from '../../kernel/clock.ts';
import { MAX_MSAT, type Msat, minMsat, msat, satToMsat } from '../../kernel/money.ts';
import { Refusal } from '../../kernel/refusal.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Bolt11 } from '../../lightning/bolt11/bolt11.ts';
import type { Payments } from '../../payments/payments.ts';
import type { Wallet, Wallets } from '../../wallets/wallets.ts';
import * as sql from './withdraw-links.sql.ts';
import { balanceTokenOf, k1Of, tokenHash } from './withdraw-token.ts';

export interface WithdrawLinkDependencies {
  readonly database: Database;
  readonly ledger: Ledger;
  readonly accounts: Accounts;
  readonly wallets: Wallets;
  readonly payments: Payments;
  readonly clock: Clock;
  /** The public URL of the service, without a trailing slash. Never taken from a request. */
  readonly publicUrl: string;
}

/** The parameters of a claim. The link is identified by `token`, or by `k1` if there is no token. */
export interface WithdrawRequest {
  readonly pathKey: string;
  /** The parameter `ott`. */
  readonly token: string | undefined;
  readonly k1: string | undefined;
  /** Lowers the maximum amount; never raises it. */
  readonly numSatoshis: number | undefined;
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
}

export const SMALLEST_WITHDRAWAL = satToMsat(1);

/** A link that was identified by a valid token or `k1` and by its wallet. */
interface FoundLink {
  readonly link: sql.LinkRow;
  readonly wallet: Wallet;
  readonly k1: string;
  /** The token for balance checks (LUD-14), if it is known. */
  readonly balanceToken: string | undefined;
}

/** A link that can be claimed now. */
interface OpenLink extends FoundLink {
  /** The maximum amount that can be withdrawn now. */
  readonly maxMsat: Msat;
  /** The key that created the link. */
  readonly madeBy: Key | undefined;
}

/** Step 1: returns the amounts that can be withdrawn now. Changes nothing. */
export async function parameters(deps: WithdrawLinkDependencies, request: WithdrawRequest): Promise<WithdrawParameters> {
  const { link, k1, balanceToken, maxMsat } = await requireOpenLink(deps, await findLink(deps, request), request.numSatoshis);
  const url = await linkUrl(deps, link.wallet_id);
  const query = new URLSearchParams();
  if (request.token !== undefined) query.set('ott', request.token);
  if (request.numSatoshis !== undefined) query.set('num_satoshis', String(request.numSatoshis));
  return {
    tag: 'withdrawRequest',
    callback: query.size > 0 ? `${url}?${query}` : url,
    k1,
    defaultDescription: link.memo,
    minWithdrawable: minMsat(SMALLEST_WITHDRAWAL, maxMsat),
    maxWithdrawable: maxMsat,
    ...(balanceToken !== undefined && { balanceCheck: `${url}?ott=${balanceToken}` }),
  };
}

/** Step 2: claims the link. Does nothing if the link pays or has paid the same invoice. */
export async function withdraw(deps: WithdrawLinkDependencies, request: WithdrawRequest, paymentRequest: string): Promise<void> {
  const found = await findLink(deps, request);
  const invoice = deps.payments.readInvoice(paymentRequest);
  try {
    await claimLink(deps, await requireOpenLink(deps, found, request.numSatoshis), invoice);
  } catch (error) {
    // A payer that lost the response repeats the claim, and the first claim may be the reason of this error.
    if (!(error instanceof Refusal) || !(await deps.payments.isClaimPaid(found.link.id, invoice))) throw error;
  }
}

async function claimLink(deps: WithdrawLinkDependencies, open: OpenLink, invoice: Bolt11): Promise<void> {
  const { link, wallet, maxMsat, madeBy } = open;
  const { amountMsat } = invoice;
  if (amountMsat === undefined) throw new Refusal('invoice_amount_missing', 'The invoice must state its amount.');
  if (amountMsat > maxMsat)
    throw new Refusal('link_unusable', `The invoice must be for at most ${maxMsat} millisatoshis, which can be withdrawn now.`);
  const minimumMsat = minMsat(SMALLEST_WITHDRAWAL, maxMsat);
  if (amountMsat < minimumMsat) throw new Refusal('link_unusable', `The invoice must be for at least ${minimumMsat} millisatoshis.`);
  await deps.payments.payInvoice({
    wallet,
    invoice,
    wtxType: 'ln_lnurl_withdraw',
    feeLimitMsat: msat(link.fee_limit_msat),
    passThru: claimPassThru(link),
    userLabel: link.memo === '' ? undefined : link.memo,
    guards: madeBy ? [lineageGuard(madeBy, () => new Refusal('link_unusable', MAKER_INVALID))] : [],
    limits: madeBy?.limits,
    claim: {
      linkId: link.id,
      row: {
        statement: sql.claimUse,
        parameters: [link.id, unixSeconds(deps.clock)],
        onMiss: new Refusal('link_unusable', 'This withdraw link has been used.'),
      },
    },
  });
}

/** Returns the link's `passThru` with the id of the link, by which its owner finds the claims. */
function claimPassThru({ id, pass_thru }: sql.LinkRow): string {
  return JSON.stringify({ ...(pass_thru === null ? {} : (JSON.parse(pass_thru) as object)), lnurlw_id: id });
}

const UNUSABLE = 'This withdraw link is not valid.';

/** Returns the same error for an unknown token, another wallet's path and a wrong `k1`, so that guessing reveals nothing. */
async function findLink(deps: WithdrawLinkDependencies, { pathKey, token, k1 }: WithdrawRequest): Promise<FoundLink> {
  const [found, resolved] = await Promise.all([findByTokenOrK1(deps, token, k1), deps.wallets.resolve(pathKey)]);
  if (!found || !resolved || resolved.wallet.id !== found.link.wallet_id) throw new Refusal('link_unusable', UNUSABLE);
  return { ...found, wallet: resolved.wallet };
}

async function findByTokenOrK1(
  { database }: WithdrawLinkDependencies,
  token: string | undefined,
  k1: string | undefined,
): Promise<Omit<FoundLink, 'wallet'> | undefined> {
  if (token === undefined) {
    const link = k1 === undefined ? undefined : await database.first(sql.findByK1, tokenHash(k1));
    return link && k1 !== undefined ? { link, k1, balanceToken: undefined } : undefined;
  }
  const hash = tokenHash(token);
  const link = await database.first(sql.findByToken, hash);
  if (!link || (k1 !== undefined && !isSameText(k1, k1Of(token)))) return undefined;
  const isBalanceToken = Buffer.compare(link.balance_token_hash, hash) === 0;
  return { link, k1: k1Of(token), balanceToken: isBalanceToken ? token : balanceTokenOf(token) };
}

/** @throws Refusal if the link cannot be claimed now. */
async function requireOpenLink(deps: WithdrawLinkDependencies, found: FoundLink, numSatoshis: number | undefined): Promise<OpenLink> {
  const { link, wallet } = found;
  if (link.expires_at !== null && link.expires_at <= unixSeconds(deps.clock))
    throw new Refusal('link_unusable', 'This withdraw link has expired.');
  if (link.uses_left === 0) {
    const busy = await deps.payments.isLinkBusy(link.id);
    throw new Refusal('link_unusable', busy ? 'A withdrawal with this link is in progress.' : 'This withdraw link has been used.');
  }
  if (wallet.status !== 'active') throw new Refusal('wallet_inactive');
  const madeBy = await requireValidMaker(deps, link);
  const remainingMsat = (await remainingLimit(deps, madeBy?.limits)) ?? MAX_MSAT;
  if (remainingMsat === 0) throw new Refusal('budget_exceeded', 'The budget of this link is used up for now.');
  const { spendableMsat } = await deps.ledger.balance(link.ledger_account);
  // The routing fee is paid from the same balance and budget, so the fee limit is subtracted.
  const payableMsat = msat(Math.max(0, minMsat(remainingMsat, spendableMsat) - link.fee_limit_msat));
  const bound = minMsat(msat(link.max_msat), payableMsat);
  const maxMsat = numSatoshis === undefined ? bound : minMsat(bound, satToMsat(numSatoshis));
  if (maxMsat <= 0) throw new Refusal('insufficient_balance', 'The wallet of this link has nothing to withdraw now.');
  return { ...found, maxMsat, madeBy };
}

const MAKER_INVALID = 'The key that made this withdraw link is revoked or expired.';

/** Returns the key that created the link. @throws Refusal unless a key of its lineage is valid. */
async function requireValidMaker({ accounts }: WithdrawLinkDependencies, link: sql.LinkRow): Promise<Key | undefined> {
  const key = link.made_by === null ? undefined : await accounts.findById(link.made_by);
  if (key && !(await accounts.isLineageValid(key))) throw new Refusal('link_unusable', MAKER_INVALID);
  return key;
}

/** Returns the URL of step 1. It contains the wallet's public key, which has no rights without a token. */
export async function linkUrl({ accounts, publicUrl }: WithdrawLinkDependencies, walletId: string): Promise<string> {
  const key = await accounts.publicKeyOfWallet(walletId, 'wallet_lnurl_withdraw');
  invariant(key, `wallet ${walletId} has no public key for withdraw links`);
  return `${publicUrl}/v1/user/wallet/${key}/lnurl-process`;
}

function isSameText(a: string, b: string): boolean {
  const [x, y] = [Buffer.from(a), Buffer.from(b)];
  return x.length === y.length && timingSafeEqual(x, y);
}
