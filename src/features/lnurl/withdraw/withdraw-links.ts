import type { Accounts, Key } from '../../../core/accounts/accounts.ts';
import type { Database, Tx } from '../../../core/db/database.ts';
import { openList } from '../../../core/db/list.ts';
import { writeRows } from '../../../core/db/row-write.ts';
import { searchRows } from '../../../core/journal/search-words.ts';
import { invariant } from '../../../core/kernel/assert.ts';
import { type Clock, unixSeconds } from '../../../core/kernel/clock.ts';
import { isId, newId } from '../../../core/kernel/ids.ts';
import { type List, mapList } from '../../../core/kernel/list.ts';
import type { Log } from '../../../core/kernel/log.ts';
import { floorSat, type Msat, minMsat } from '../../../core/kernel/money.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import { type Guard, type Ledger, type RowWrite, requireGuards } from '../../../core/ledger/ledger.ts';
import { encodeLnurl, InvalidLnurl } from '../../../core/lightning/bech32.ts';
import type { Outbound } from '../../../core/outbound/outbound.ts';
import { CLAIM_FEE_RULE, feeLimit } from '../../../core/payments/fee-limit.ts';
import type { Payments } from '../../../core/payments/payments.ts';
import { sendingWalletGuard, type Wallet, type Wallets } from '../../../core/wallets/wallets.ts';
import { newToken, protocolUri, tokenHash } from '../lnurl.ts';
import type { PayLinks } from '../pay/pay-links.ts';
import { createNoticeJob } from './balance-notices.ts';
import { claimLink, claimParameters } from './claims.ts';
import { linkUrl, SMALLEST_WITHDRAWAL, startOfDay, type WithdrawRequest } from './open-link.ts';
import { balanceRootOf, k1Of } from './tokens.ts';
import * as sql from './withdraw-links.sql.ts';

export interface WithdrawLinkOptions {
  readonly database: Database;
  readonly ledger: Ledger;
  readonly accounts: Accounts;
  readonly wallets: Wallets;
  readonly payments: Payments;
  readonly payLinks: PayLinks;
  readonly outbound: Outbound;
  /** The public URL of the service, without a trailing slash. Never taken from a request. */
  readonly publicUrl: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** The limits and texts of a new link. */
export interface LinkTerms {
  /** The limit of one claim. Absent: the spendable balance now; for a permanent link the balance at each claim. */
  readonly maxMsat: Msat | undefined;
  /** For the claimers. */
  readonly memo: string;
  /** For the owner. */
  readonly userLabel: string;
  readonly expirySeconds: number | undefined;
  /** Absent: a permanent link. */
  readonly uses: number | undefined;
  /** The fee limit of one claim. Absent: {@link CLAIM_FEE_RULE} of `maxMsat`; for a permanent link of the amount of each claim. */
  readonly feeLimitMsat: Msat | undefined;
  /** The limit of what the claims of one day (UTC) cost, with routing fees. */
  readonly dailyLimitMsat: Msat | undefined;
}

export interface NewLink extends LinkTerms {
  readonly wallet: Wallet;
  /** JSON text for the payments of claims. */
  readonly passThru: string | undefined;
  /** Conditions, such as the validity of the requesting key. */
  readonly guards: readonly Guard[];
  /** Returns rows to write in the same transaction. */
  readonly extraRows?: (created: CreatedLink) => readonly RowWrite[];
  /** The key that creates the link. Claims count against its limits, and are rejected when its lineage is no longer valid. */
  readonly madeBy: Key | undefined;
}

/** A withdraw link as its owner sees it: without its tokens, which are not stored. */
export type WithdrawLink = sql.CountedRow & {
  /** Whether it can be claimed if the wallet's balance covers a claim. */
  readonly isActive: boolean;
};

export interface CreatedLink {
  readonly link: WithdrawLink;
  readonly secrets: LinkSecrets;
}

export type WithdrawLinks = ReturnType<typeof createWithdrawLinks>;

/** LNURL withdraw (LUD-03): links whose holders can withdraw money from a wallet. A link does not reserve money. */
export function createWithdrawLinks(options: WithdrawLinkOptions) {
  const { database, clock } = options;

  return {
    /** Creates a link. @throws Refusal `insufficient_balance` if the limit is the balance now, and it does not cover 1 sat and the fee limit. */
    create: (order: NewLink) => createLink(options, order),

    /** Returns the links of a wallet. */
    list: (walletId: string): List<WithdrawLink> =>
      mapList(
        openList(database, {
          statements: sql.listOfWallet,
          filters: [walletId],
          own: [startOfDay(clock)],
          prefix: 'lnurlw',
          toItem: (row) => row,
        }),
        (rows) => checkMakers(options, rows),
      ),

    /** @throws Refusal `not_found` */
    async find(walletId: string, id: string): Promise<WithdrawLink> {
      const row = isId(id) ? await database.first(sql.findOfWallet, walletId, id, startOfDay(clock)) : undefined;
      const [link] = row ? await checkMakers(options, [row]) : [];
      if (!link) throw new Refusal('not_found');
      return link;
    },

    /** Rejects all further claims of a link. Claims in flight continue. Idempotent. @throws Refusal `not_found` */
    revoke: (walletId: string, id: string, guards: readonly Guard[]): Promise<WithdrawLink> =>
      database.transaction(async (tx) => {
        await requireGuards(tx, guards);
        await tx.run(sql.revokeLink, walletId, id, unixSeconds(clock));
        const link = await readLink(tx, clock, walletId, id);
        if (!link) throw new Refusal('not_found');
        return link;
      }),

    claimParameters: (request: WithdrawRequest) => claimParameters(options, request),
    claim: (request: WithdrawRequest, paymentRequest: string) => claimLink(options, request, paymentRequest),
    /** Calls addresses of claimers when more can be withdrawn (LUD-15). A background job runs it again and again. */
    sendNotices: createNoticeJob(options),
  };
}

/** Reads a link in the transaction that creates or revokes it. The key that made it counts as valid. */
async function readLink(tx: Tx, clock: Clock, walletId: string, id: string): Promise<WithdrawLink | undefined> {
  const row = await tx.first(sql.findOfWallet, walletId, id, startOfDay(clock));
  return row && { ...row, isActive: isUsable(row, clock) };
}

async function checkMakers({ accounts, clock }: WithdrawLinkOptions, rows: readonly sql.CountedRow[]): Promise<WithdrawLink[]> {
  const invalid = new Set<string | null>();
  for (const id of new Set(rows.flatMap(({ made_by }) => made_by ?? []))) {
    const key = await accounts.findById(id);
    if (key && !(await accounts.isLineageValid(key))) invalid.add(id);
  }
  return rows.map((row) => ({ ...row, isActive: isUsable(row, clock) && !invalid.has(row.made_by) }));
}

function isUsable({ revoked_at, expires_at, uses_left }: sql.LinkRow, clock: Clock): boolean {
  return revoked_at === null && (expires_at === null || expires_at > unixSeconds(clock)) && uses_left !== 0;
}

async function createLink(options: WithdrawLinkOptions, order: NewLink): Promise<CreatedLink> {
  const { database, clock } = options;
  const { wallet, memo, userLabel, passThru, uses, dailyLimitMsat, madeBy } = order;
  const { maxMsat, feeLimitMsat } = await claimLimits(options, order);
  const id = `lnurlw_${newId(clock.nowMs())}`;
  const createdAt = unixSeconds(clock);
  const expiresAt = order.expirySeconds === undefined ? null : createdAt + order.expirySeconds;
  const token = newToken();
  const hashes = [token, balanceRootOf(token), k1Of(token)].map(tokenHash);
  const limits = [maxMsat ?? null, feeLimitMsat ?? null, uses ?? null, dailyLimitMsat ?? null];
  const rest = [memo, userLabel, passThru ?? null, expiresAt, createdAt, madeBy?.id ?? null];
  const secrets = linkSecrets(await linkUrl(options, wallet.id), token, { maxMsat, memo });
  return database.transaction(async (tx) => {
    await requireGuards(tx, [sendingWalletGuard(wallet.id), ...order.guards]);
    await tx.run(sql.insertLink, id, wallet.id, wallet.ledgerAccount, ...hashes, ...limits, ...rest);
    const link = await readLink(tx, clock, wallet.id, id);
    invariant(link, 'a new link is stored');
    const created = { link, secrets };
    const words = searchRows({ id, owner: wallet.accountId, text: userLabel });
    await writeRows(tx, [...words, ...(order.extraRows?.(created) ?? [])]);
    return created;
  });
}

/** A permanent link without limits has those of each claim: the balance, and the fee limit of its amount. */
async function claimLimits({ ledger }: WithdrawLinkOptions, order: NewLink): Promise<Partial<LinkTerms>> {
  if (order.uses === undefined) return order;
  const maxMsat = order.maxMsat ?? (await ledger.balance(order.wallet.ledgerAccount)).spendableMsat;
  const feeLimitMsat = order.feeLimitMsat ?? feeLimit(CLAIM_FEE_RULE, maxMsat);
  // A link with an amount may be created before its wallet is funded.
  if (order.maxMsat === undefined && maxMsat < feeLimitMsat + SMALLEST_WITHDRAWAL)
    throw new Refusal(
      'insufficient_balance',
      `The spendable balance of ${maxMsat} msat does not cover 1 sat and the link's fee limit of ${feeLimitMsat} msat. ` +
        'Send `num_satoshis` to create the link before the wallet is funded, or a smaller `fee_limit_msat`.',
    );
  return { maxMsat, feeLimitMsat };
}

export type LinkSecrets = ReturnType<typeof linkSecrets>;

/**
 * Returns the fields of a link that only its creation returns: its token, and the URLs that contain it. `base` is the URL of step 1 without its
 * query.
 */
export function linkSecrets(base: string, token: string, { maxMsat, memo }: { maxMsat: Msat | undefined; memo: string }) {
  const amount = maxMsat === undefined ? '' : `&num_satoshis=${floorSat(maxMsat)}`;
  const url = `${base}?ott=${token}${amount}`;
  return {
    lnurl: encodeLnurl(url),
    ott: token,
    url,
    lnurlw_uri: protocolUri('lnurlw', url) ?? null,
    lnurl_fast: maxMsat === undefined ? null : fastLnurl(url, token, { maxMsat, memo }),
  };
}

/**
 * Returns a URL with the parameters of step 1 (LUD-08), in bech32; null if it is too long. The parameters are those of the link: its limit, not
 * the balance of the wallet. Everything in them is in the link or derives from its token.
 */
function fastLnurl(url: string, token: string, { maxMsat, memo }: { maxMsat: Msat; memo: string }): string | null {
  const query = new URLSearchParams({
    tag: 'withdrawRequest',
    k1: k1Of(token),
    minWithdrawable: String(minMsat(SMALLEST_WITHDRAWAL, maxMsat)),
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
