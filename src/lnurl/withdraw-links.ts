import { timingSafeEqual } from 'node:crypto';
import { type Accounts, type Key, lineGuard } from '../accounts/accounts.ts';
import { roomUnder } from '../budgets/budgets.ts';
import type { Database } from '../db/database.ts';
import { writeRows } from '../db/row-write.ts';
import type { Statement } from '../db/statement.ts';
import { invariant } from '../kernel/assert.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { floorSat, MAX_MSAT, type Msat, minMsat, msat, satToMsat } from '../kernel/money.ts';
import { Refusal } from '../kernel/refusal.ts';
import { requireGuards } from '../ledger/guards.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Guard, RowWrite } from '../ledger/posting.ts';
import type { Payments } from '../payments/payments.ts';
import type { LinkUses } from '../payments/saga.ts';
import { activeWalletGuard, type Wallet, type Wallets } from '../wallets/wallets.ts';
import { encodeLnurl } from './bech32.ts';
import * as sql from './withdraw-links.sql.ts';
import { balanceTokenOf, k1Of, newToken, tokenHash } from './withdraw-token.ts';

export interface NewLink {
  readonly wallet: Wallet;
  /** Absent: what the wallet can spend now. */
  readonly maxMsat: Msat | undefined;
  readonly memo: string;
  /** JSON text, for the payment that claims it. */
  readonly passThru: string | undefined;
  readonly expirySeconds: number | undefined;
  readonly uses: number;
  /** The keys that ask for it: a link is a claim to money. */
  readonly guards: readonly Guard[];
  /** What else is written with it. */
  readonly companions?: (made: MadeLink) => readonly RowWrite[];
  /** The key whose authority the link passes on: claims count against its limits, and end with it. */
  readonly madeBy: Key | undefined;
}

/** A link as it is shown to its maker, this once. */
export interface MadeLink {
  readonly id: string;
  readonly token: string;
  readonly url: string;
  /** `url` in bech32 (LUD-01), upper case. */
  readonly lnurl: string;
  readonly maxMsat: Msat;
  readonly expiresAt: number | undefined;
  readonly createdAt: number;
}

/** What a paying wallet sends. */
export interface WithdrawRequest {
  readonly pathKey: string;
  readonly token: string;
  /** Lowers the bound; never raises it. */
  readonly numSatoshis: number | undefined;
  readonly k1: string | undefined;
}

/** LUD-03's parameters; amounts in millisatoshis. */
export interface WithdrawParameters {
  readonly tag: 'withdrawRequest';
  readonly callback: string;
  readonly k1: string;
  readonly defaultDescription: string;
  readonly minWithdrawable: Msat;
  readonly maxWithdrawable: Msat;
  /** LUD-14. */
  readonly balanceCheck: string;
}

/** LNURL withdraw (LUD-03): links that let their holder take money out of a wallet. A link holds no money itself. */
export interface WithdrawLinks {
  /** @throws Refusal `insufficient_balance` when no amount is given and there is nothing to withdraw. */
  create(order: NewLink): Promise<MadeLink>;
  /** Step 1: what can be withdrawn now. Consumes nothing. @throws Refusal */
  parameters(request: WithdrawRequest): Promise<WithdrawParameters>;
  /** Step 2: takes one use of the link and begins to pay the invoice; both in one database transaction. @throws Refusal */
  withdraw(request: WithdrawRequest, paymentRequest: string): Promise<void>;
}

export interface WithdrawLinkDependencies {
  readonly database: Database;
  readonly ledger: Ledger;
  readonly accounts: Accounts;
  readonly wallets: Wallets;
  readonly payments: Payments;
  readonly clock: Clock;
  /** The service's address as others see it, without a slash at its end; never taken from a request. */
  readonly publicUrl: string;
}

const SMALLEST_WITHDRAWAL = satToMsat(1);

export function createWithdrawLinks(deps: WithdrawLinkDependencies): WithdrawLinks {
  return {
    create: (order) => create(deps, order),
    async parameters(request) {
      const { link, maxMsat, usesBalanceToken } = await openLink(deps, request);
      const url = await linkUrl(deps, link.wallet_id);
      const lowered = request.numSatoshis === undefined ? '' : `&num_satoshis=${request.numSatoshis}`;
      return {
        tag: 'withdrawRequest',
        callback: `${url}?ott=${request.token}${lowered}`,
        k1: k1Of(request.token),
        defaultDescription: link.memo,
        minWithdrawable: minMsat(SMALLEST_WITHDRAWAL, maxMsat),
        maxWithdrawable: maxMsat,
        balanceCheck: `${url}?ott=${usesBalanceToken ? request.token : balanceTokenOf(request.token)}`,
      };
    },
    withdraw: (request, paymentRequest) => withdraw(deps, request, paymentRequest),
  };
}

/** What payments write when a claim of a link fails for good, or goes through after all. */
export const linkUses: LinkUses = {
  release: (linkId) => useRow(sql.release, linkId),
  take: (linkId) => useRow(sql.take, linkId),
};

function useRow(statement: Statement, linkId: string): RowWrite {
  return { statement, parameters: [linkId], otherwise: new Error(`withdraw link ${linkId} is gone`) };
}

async function create(deps: WithdrawLinkDependencies, order: NewLink): Promise<MadeLink> {
  const { wallet, memo, passThru, uses } = order;
  const maxMsat = order.maxMsat ?? (await deps.ledger.balance(wallet.ledgerAccount)).spendableMsat;
  if (maxMsat < SMALLEST_WITHDRAWAL)
    throw new Refusal('insufficient_balance', 'The wallet has nothing to withdraw; give num_satoshis or fund it first.');
  const id = `lnurlw_${newId(deps.clock.nowMs())}`;
  const createdAt = unixSeconds(deps.clock);
  const expiresAt = order.expirySeconds === undefined ? undefined : createdAt + order.expirySeconds;
  const token = newToken();
  const hashes = [tokenHash(token), tokenHash(balanceTokenOf(token))];
  const rest = [maxMsat, uses, memo, passThru ?? null, expiresAt ?? null, createdAt, order.madeBy?.id ?? null];
  const url = `${await linkUrl(deps, wallet.id)}?ott=${token}&num_satoshis=${floorSat(maxMsat)}`;
  const made = { id, token, url, lnurl: encodeLnurl(url), maxMsat, expiresAt, createdAt };
  await deps.database.transaction(async (tx) => {
    await requireGuards(tx, [activeWalletGuard(wallet.id), ...order.guards]);
    await tx.run(sql.insertLink, id, wallet.id, wallet.ledgerAccount, ...hashes, ...rest);
    await writeRows(tx, order.companions?.(made) ?? []);
  });
  return made;
}

/** A link that can be claimed now, and for how much. */
interface OpenLink {
  readonly link: sql.LinkRow;
  readonly wallet: Wallet;
  readonly maxMsat: Msat;
  /** The key that made it. */
  readonly madeBy: Key | undefined;
  /** Whether it was found by its balance-check token (LUD-14). */
  readonly usesBalanceToken: boolean;
}

const UNUSABLE = 'This withdraw link is not valid.';

/** One answer for an unknown token, another wallet's path and a wrong k1, so that trying tells nothing. */
async function openLink(deps: WithdrawLinkDependencies, request: WithdrawRequest): Promise<OpenLink> {
  const hash = tokenHash(request.token);
  const [link, named] = await Promise.all([deps.database.first(sql.findByToken, hash), deps.wallets.resolve(request.pathKey)]);
  if (!link || !named || named.wallet.id !== link.wallet_id) throw new Refusal('link_unusable', UNUSABLE);
  if (request.k1 !== undefined && !sameText(request.k1, k1Of(request.token))) throw new Refusal('link_unusable', UNUSABLE);
  if (link.expires_at !== null && link.expires_at <= unixSeconds(deps.clock))
    throw new Refusal('link_unusable', 'This withdraw link has expired.');
  if (link.uses_left === 0) {
    const busy = await deps.payments.isLinkBusy(link.id);
    throw new Refusal('link_unusable', busy ? 'A withdrawal with this link is in progress.' : 'This withdraw link has been used.');
  }
  if (named.wallet.status !== 'active') throw new Refusal('wallet_inactive');
  const madeBy = await makerOf(deps, link);
  const roomMsat = (await roomUnder(deps, madeBy?.limits)) ?? MAX_MSAT;
  if (roomMsat === 0) throw new Refusal('budget_exceeded', 'The budget behind this link is used up for now.');
  const bound = minMsat(minMsat(msat(link.max_msat), roomMsat), (await deps.ledger.balance(link.ledger_account)).spendableMsat);
  const maxMsat = request.numSatoshis === undefined ? bound : minMsat(bound, satToMsat(request.numSatoshis));
  if (maxMsat <= 0) throw new Refusal('insufficient_balance', 'The wallet behind this link has nothing to withdraw now.');
  return { link, wallet: named.wallet, maxMsat, madeBy, usesBalanceToken: Buffer.compare(link.balance_token_hash, hash) === 0 };
}

const DISOWNED = 'The key that made this withdraw link is revoked or expired.';

/** @throws Refusal when neither the key nor what replaced it in a rotation is valid any more. */
async function makerOf({ accounts }: WithdrawLinkDependencies, link: sql.LinkRow): Promise<Key | undefined> {
  const key = link.made_by === null ? undefined : await accounts.findById(link.made_by);
  if (key && !(await accounts.isLineValid(key))) throw new Refusal('link_unusable', DISOWNED);
  return key;
}

async function withdraw(deps: WithdrawLinkDependencies, request: WithdrawRequest, paymentRequest: string): Promise<void> {
  const { link, wallet, maxMsat, madeBy } = await openLink(deps, request);
  const invoice = deps.payments.readInvoice(paymentRequest);
  const { amountMsat } = invoice;
  if (amountMsat === undefined) throw new Refusal('invoice_amount_missing', 'The invoice must state its amount.');
  if (amountMsat > maxMsat)
    throw new Refusal('link_unusable', `The invoice is for more than the ${maxMsat} millisatoshis that can be withdrawn.`);
  const minimumMsat = minMsat(SMALLEST_WITHDRAWAL, maxMsat);
  if (amountMsat < minimumMsat) throw new Refusal('link_unusable', `The invoice is for less than ${minimumMsat} millisatoshis.`);
  await deps.payments.payInvoice({
    wallet,
    invoice,
    wtxType: 'ln_lnurl_withdraw',
    passThru: link.pass_thru ?? undefined,
    guards: madeBy ? [lineGuard(madeBy, () => new Refusal('link_unusable', DISOWNED))] : [],
    limits: madeBy?.limits,
    claim: {
      linkId: link.id,
      row: {
        statement: sql.claim,
        parameters: [link.id, unixSeconds(deps.clock)],
        otherwise: new Refusal('link_unusable', 'This withdraw link has been used.'),
      },
    },
  });
}

/** The address of step 1, with the wallet's public identifier: it grants nothing without a token. */
async function linkUrl({ accounts, publicUrl }: WithdrawLinkDependencies, walletId: string): Promise<string> {
  const key = await accounts.publicKeyOfWallet(walletId, 'wallet_lnurl_withdraw');
  invariant(key, `wallet ${walletId} has no public key for withdraw links`);
  return `${publicUrl}/v1/user/wallet/${key}/lnurl-process`;
}

function sameText(a: string, b: string): boolean {
  const [x, y] = [Buffer.from(a), Buffer.from(b)];
  return x.length === y.length && timingSafeEqual(x, y);
}
