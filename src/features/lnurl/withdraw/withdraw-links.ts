import type { Accounts, Key } from '../../../core/accounts/accounts.ts';
import type { Database, Tx } from '../../../core/db/database.ts';
import { openList } from '../../../core/db/list.ts';
import { writeRows } from '../../../core/db/row-write.ts';
import type { Fees } from '../../../core/fees/fees.ts';
import { searchRows } from '../../../core/journal/search-words.ts';
import { type Clock, unixSeconds } from '../../../core/kernel/clock.ts';
import { isId, newId, secretHash } from '../../../core/kernel/ids.ts';
import { type List, mapList } from '../../../core/kernel/list.ts';
import type { Log } from '../../../core/kernel/log.ts';
import { floorSat, msat, satText } from '../../../core/kernel/money.ts';
import { Refusal, requireFound } from '../../../core/kernel/refusal.ts';
import { type Guard, type Ledger, type RowWrite, requireGuards } from '../../../core/ledger/ledger.ts';
import { encodeLnurl, InvalidLnurl } from '../../../core/lightning/bech32.ts';
import type { Outbound } from '../../../core/outbound/outbound.ts';
import { CLAIM_FEE_RULE, feeLimit } from '../../../core/payments/fee-limit.ts';
import type { Payments } from '../../../core/payments/payments.ts';
import { type Wallet, type Wallets, walletGuard } from '../../../core/wallets/wallets.ts';
import type { Withdrawals } from '../../../core/withdrawals/withdrawals.ts';
import { newToken, protocolUri } from '../lnurl.ts';
import type { PayLinks } from '../pay/pay-links.ts';
import { createNoticeJob } from './balance-notices.ts';
import { claimLink, claimParameters, linkUrl, type WithdrawRequest } from './claims.ts';
import { endOfLink, SMALLEST_WITHDRAWAL, startOfDay } from './open-link.ts';
import { k1Of } from './tokens.ts';
import * as sql from './withdraw-links.sql.ts';

export interface WithdrawLinkOptions {
  readonly database: Database;
  readonly ledger: Ledger;
  readonly fees: Fees;
  readonly accounts: Accounts;
  readonly wallets: Wallets;
  readonly payments: Payments;
  readonly withdrawals: Withdrawals;
  readonly payLinks: PayLinks;
  readonly outbound: Outbound;
  /** The public URL of the service, without a trailing slash. Never taken from a request. */
  readonly publicUrl: string;
  readonly clock: Clock;
  readonly log: Log;
}

export interface NewLink {
  readonly wallet: Wallet;
  /** Without `max_msat`, a link with uses gets the spendable balance now, and without `fee_limit_msat` the fee limit of its amount. */
  readonly terms: sql.LinkTerms;
  readonly expirySeconds: number | undefined;
  /** The key that creates the link. */
  readonly madeBy: Key | undefined;
  /** Conditions, such as the validity of the requesting key. */
  readonly guards: readonly Guard[];
  /** Returns rows to write in the same transaction. */
  readonly extraRows?: (linkId: string, secrets: LinkSecrets) => readonly RowWrite[];
}

/** A withdraw link as its owner sees it: without its tokens, which are not stored. */
export type WithdrawLink = sql.CountedRow & {
  /** Whether it can be claimed if the wallet's balance covers a claim. */
  readonly isActive: boolean;
};

export type WithdrawLinks = ReturnType<typeof createWithdrawLinks>;

/** LNURL withdraw (LUD-03): links whose holders can withdraw money from a wallet. A link does not reserve money. */
export function createWithdrawLinks(options: WithdrawLinkOptions) {
  const { database, clock } = options;

  /** Reads a link in the transaction that creates or revokes it. The key that made it counts as valid. @throws Refusal `not_found` */
  async function readLink(tx: Tx, walletId: string, id: string): Promise<WithdrawLink> {
    const row = requireFound(await tx.first(sql.findOfWallet, walletId, id, startOfDay(clock)));
    return { ...row, isActive: endOfLink(row, clock) === undefined };
  }

  return {
    /** Creates a link. @throws Refusal `insufficient_balance` if the limit is the balance now, and it does not cover 1 sat and the fee limit. */
    async create(order: NewLink): Promise<{ readonly link: WithdrawLink; readonly secrets: LinkSecrets }> {
      const { wallet, terms, expirySeconds, madeBy, guards, extraRows } = order;
      const { max_msat, fee_limit_msat } = await claimLimits(options, order);
      const { uses, daily_limit_msat, memo, user_label, pass_thru, fiat } = terms;
      const id = `lnurlw_${newId(clock.nowMs())}`;
      const now = unixSeconds(clock);
      const expiresAt = expirySeconds === undefined ? null : now + expirySeconds;
      const token = newToken();
      const stored = [id, wallet.id, wallet.ledgerAccount, secretHash(k1Of(token))];
      const limits = [max_msat, fee_limit_msat, uses, daily_limit_msat];
      return database.transaction(async (tx) => {
        await requireGuards(tx, [walletGuard(wallet.id, 'sendWithinLimits'), ...guards]);
        await tx.run(sql.insertLink, ...stored, ...limits, memo, user_label, pass_thru, fiat, expiresAt, now, madeBy?.id ?? null);
        const link = await readLink(tx, wallet.id, id);
        const secrets = linkSecrets(linkUrl(options, link), token, link);
        const words = searchRows({ id, owner: wallet.accountId, text: user_label });
        await writeRows(tx, [...words, ...(extraRows?.(id, secrets) ?? [])]);
        return { link, secrets };
      });
    },

    /** Returns the links of a wallet. */
    list(walletId: string): List<WithdrawLink> {
      const own = [startOfDay(clock)];
      const rows = openList(database, { statements: sql.listOfWallet, filters: [walletId], own, prefix: 'lnurlw' });
      return mapList(rows, (page) => checkMakers(options, page));
    },

    /** Returns the links of all wallets of an account, or of one of them: all, those that can be claimed, or the others. */
    listOfAccount(
      { accountId, walletId }: { accountId: string; walletId: string | undefined },
      state: keyof typeof sql.listOfAccountBy = 'all',
    ): List<WithdrawLink> {
      const filters = [accountId, walletId ?? null];
      const own = [startOfDay(clock)];
      const rows = openList(database, { statements: sql.listOfAccountBy[state], filters, own, prefix: 'lnurlw' });
      return mapList(rows, (page) => checkMakers(options, page));
    },

    /** Returns the sums over the links that {@link listOfAccount} returns. */
    async totalOfAccount(
      { accountId, walletId }: { accountId: string; walletId: string | undefined },
      state: keyof typeof sql.totalOfAccountBy = 'all',
    ): Promise<sql.TotalRow> {
      return requireFound(await database.first(sql.totalOfAccountBy[state], accountId, walletId ?? null));
    },

    /** @throws Refusal `not_found` */
    async find(walletId: string, id: string): Promise<WithdrawLink> {
      const row = isId(id) ? await database.first(sql.findOfWallet, walletId, id, startOfDay(clock)) : undefined;
      const [link] = row ? await checkMakers(options, [row]) : [];
      return requireFound(link);
    },

    /** Rejects all further claims of a link. Claims in flight continue. Idempotent. @throws Refusal `not_found` */
    revoke: (walletId: string, id: string, guards: readonly Guard[]): Promise<WithdrawLink> =>
      database.transaction(async (tx) => {
        await requireGuards(tx, guards);
        await tx.run(sql.revokeLink, walletId, id, unixSeconds(clock));
        return readLink(tx, walletId, id);
      }),

    claimParameters: (request: WithdrawRequest) => claimParameters(options, request),
    claim: (request: WithdrawRequest, paymentRequest: string) => claimLink(options, request, paymentRequest),
    /** Calls addresses of claimers when more can be withdrawn (LUD-15). A background job runs it again and again. */
    sendNotices: createNoticeJob(options),
  };
}

async function checkMakers({ accounts, clock }: WithdrawLinkOptions, rows: readonly sql.CountedRow[]): Promise<WithdrawLink[]> {
  const invalid = new Set<string | null>();
  for (const id of new Set(rows.flatMap(({ made_by }) => made_by ?? []))) {
    const key = await accounts.findById(id);
    if (key && !(await accounts.isLineageValid(key))) invalid.add(id);
  }
  return rows.map((row) => ({ ...row, isActive: endOfLink(row, clock) === undefined && !invalid.has(row.made_by) }));
}

/** Returns the limits of one claim. A permanent link without limits has those of each claim: the balance, and the fee limit of its amount. */
async function claimLimits({ ledger }: WithdrawLinkOptions, { wallet, terms }: NewLink) {
  const { uses, max_msat, fee_limit_msat } = terms;
  if (uses === null) return terms;
  const maxMsat = max_msat === null ? (await ledger.balance(wallet.ledgerAccount)).spendableMsat : msat(max_msat);
  const feeLimitMsat = fee_limit_msat ?? feeLimit(CLAIM_FEE_RULE, maxMsat);
  // A link with an amount may be created before its wallet is funded.
  if (max_msat === null && maxMsat < feeLimitMsat + SMALLEST_WITHDRAWAL)
    throw new Refusal(
      'insufficient_balance',
      `The spendable balance of ${satText(maxMsat)} does not cover 1 sat and the link's fee limit of ${satText(feeLimitMsat)}. ` +
        'Send `num_satoshis` to create the link before the wallet is funded, or a smaller `fee_limit_msat`.',
    );
  return { max_msat: maxMsat, fee_limit_msat: feeLimitMsat };
}

export type LinkSecrets = ReturnType<typeof linkSecrets>;

/**
 * Returns the fields of a link that only its creation returns: its token, and the URLs that contain it. `base` is the URL of step 1 without its
 * query.
 */
function linkSecrets(base: string, token: string, { max_msat: maxMsat, memo }: sql.LinkRow) {
  const amount = maxMsat === null ? '' : `&num_satoshis=${floorSat(msat(maxMsat))}`;
  const url = `${base}?ott=${token}${amount}`;
  return {
    lnurl: encodeLnurl(url),
    ott: token,
    url,
    lnurlw_uri: protocolUri('lnurlw', url) ?? null,
    lnurl_fast: maxMsat === null ? null : fastLnurl(url, token, maxMsat, memo),
  };
}

/**
 * Returns a URL with the parameters of step 1 (LUD-08), in bech32; null if it is too long. The parameters are those of the link: its limit, not
 * the balance of the wallet. Everything in them is in the link or derives from its token.
 */
function fastLnurl(url: string, token: string, maxMsat: number, memo: string): string | null {
  const query = new URLSearchParams({
    tag: 'withdrawRequest',
    k1: k1Of(token),
    minWithdrawable: String(Math.min(SMALLEST_WITHDRAWAL, maxMsat)),
    maxWithdrawable: String(maxMsat),
    defaultDescription: memo,
    callback: url,
  });
  try {
    // Not every wallet reads + as a space.
    return encodeLnurl(`${url}&${query.toString().replaceAll('+', '%20')}`);
  } catch (error) {
    if (error instanceof InvalidLnurl) return null;
    throw error;
  }
}
