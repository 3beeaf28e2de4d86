import type { Key } from '../../../core/accounts/accounts.ts';
import { writeRows } from '../../../core/db/row-write.ts';
import { invariant } from '../../../core/kernel/assert.ts';
import { unixSeconds } from '../../../core/kernel/clock.ts';
import { newId } from '../../../core/kernel/ids.ts';
import type { Msat } from '../../../core/kernel/money.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import { type Guard, type RowWrite, requireGuards } from '../../../core/ledger/ledger.ts';
import { CLAIM_FEE_RULE, feeLimit } from '../../../core/payments/fee-limit.ts';
import { sendingWalletGuard, type Wallet } from '../../../core/wallets/wallets.ts';
import { newToken, tokenHash } from '../token.ts';
import { noticeRound } from './balance-notices.ts';
import { linkUrl, parameters, type WithdrawLinkDependencies, type WithdrawParameters, withdraw } from './link-claims.ts';
import { type LinkSecrets, linkSecrets } from './link-secrets.ts';
import { findListedLink, type LinkPage, type ListedLink, listLinks, readListedLink } from './listed-link.ts';
import { SMALLEST_WITHDRAWAL, type WithdrawRequest } from './open-link.ts';
import * as sql from './withdraw-links.sql.ts';
import { balanceRootOf, k1Of } from './withdraw-token.ts';

export type { LinkSecrets } from './link-secrets.ts';
export { linkUses } from './link-uses.ts';
export type { LinkPage, ListedLink } from './listed-link.ts';
export type { WithdrawRequest } from './open-link.ts';

export interface NewLink {
  readonly wallet: Wallet;
  /** The limit of one claim. Absent: the spendable balance now; for a permanent link the balance at each claim. */
  readonly maxMsat: Msat | undefined;
  /** For the claimers. */
  readonly memo: string;
  /** For the owner. */
  readonly userLabel: string;
  /** JSON text for the payments of claims. */
  readonly passThru: string | undefined;
  readonly expirySeconds: number | undefined;
  /** Absent: a permanent link. */
  readonly uses: number | undefined;
  /** The fee limit of one claim. Absent: {@link CLAIM_FEE_RULE} of `maxMsat`; for a permanent link of the amount of each claim. */
  readonly feeLimitMsat?: Msat | undefined;
  /** The limit of what the claims of one day (UTC) cost, with routing fees. */
  readonly dailyLimitMsat?: Msat | undefined;
  /** Conditions, such as the validity of the requesting key. */
  readonly guards: readonly Guard[];
  /** Returns rows to write in the same transaction. */
  readonly extraRows?: (created: CreatedLink) => readonly RowWrite[];
  /** The key that creates the link. Claims count against its limits, and are rejected when its lineage is no longer valid. */
  readonly madeBy: Key | undefined;
}

export interface CreatedLink {
  readonly link: ListedLink;
  readonly secrets: LinkSecrets;
}

/** LNURL withdraw (LUD-03): links whose holders can withdraw money from a wallet. A link does not reserve money. */
export interface WithdrawLinks {
  /** Creates a link. @throws Refusal `insufficient_balance` if the limit is the balance now, and it does not cover 1 sat and the fee limit. */
  create(order: NewLink): Promise<CreatedLink>;
  /** Returns a page of a wallet's links, newest first, and their number; undefined if `after` is none of them. */
  list(walletId: string, page: LinkPage): Promise<{ links: ListedLink[]; total: number } | undefined>;
  /** @throws Refusal `not_found` */
  find(walletId: string, id: string): Promise<ListedLink>;
  /** Rejects all further claims of a link. Claims in flight continue. Idempotent. @throws Refusal `not_found` */
  revoke(walletId: string, id: string, guards: readonly Guard[]): Promise<ListedLink>;
  /** Step 1: returns the amounts that can be withdrawn now. Changes nothing. @throws Refusal */
  parameters(request: WithdrawRequest): Promise<WithdrawParameters>;
  /**
   * Step 2: takes one use of the link and starts the payment of the invoice, in one database transaction. Repeating a claim that is pending
   * or was paid takes no further use.
   * @throws Refusal
   */
  withdraw(request: WithdrawRequest, paymentRequest: string): Promise<void>;
  /** One round of a background job: calls addresses of claimers when more can be withdrawn (LUD-15). */
  sendNotices(signal: AbortSignal): Promise<void>;
}

export function createWithdrawLinks(deps: WithdrawLinkDependencies): WithdrawLinks {
  return {
    create: (order) => create(deps, order),
    list: (walletId, page) => listLinks(deps, walletId, page),
    find: async (walletId, id) => found(await findListedLink(deps, walletId, id)),
    revoke: (walletId, id, guards) =>
      deps.database.transaction(async (tx) => {
        await requireGuards(tx, guards);
        await tx.run(sql.revokeLink, walletId, id, unixSeconds(deps.clock));
        return found(await readListedLink(tx, deps.clock, walletId, id));
      }),
    parameters: (request) => parameters(deps, request),
    withdraw: (request, paymentRequest) => withdraw(deps, request, paymentRequest),
    sendNotices: noticeRound(deps),
  };
}

function found(link: ListedLink | undefined): ListedLink {
  if (!link) throw new Refusal('not_found');
  return link;
}

async function create(deps: WithdrawLinkDependencies, order: NewLink): Promise<CreatedLink> {
  const { wallet, memo, userLabel, passThru, uses, dailyLimitMsat } = order;
  const { maxMsat, feeLimitMsat } = await limitsOf(deps, order);
  const id = `lnurlw_${newId(deps.clock.nowMs())}`;
  const createdAt = unixSeconds(deps.clock);
  const expiresAt = order.expirySeconds === undefined ? undefined : createdAt + order.expirySeconds;
  const token = newToken();
  const balanceRoot = balanceRootOf(token);
  const hashes = [token, balanceRoot, k1Of(token), k1Of(balanceRoot)].map(tokenHash);
  const limits = [maxMsat ?? null, feeLimitMsat ?? null, uses ?? null, dailyLimitMsat ?? null];
  const texts = [memo, userLabel, passThru ?? null];
  const rest = [expiresAt ?? null, createdAt, order.madeBy?.id ?? null];
  const secrets = linkSecrets(await linkUrl(deps, wallet.id), token, { maxMsat, memo });
  return deps.database.transaction(async (tx) => {
    await requireGuards(tx, [sendingWalletGuard(wallet.id), ...order.guards]);
    await tx.run(sql.insertLink, id, wallet.id, wallet.ledgerAccount, ...hashes, ...limits, ...texts, ...rest);
    const link = await readListedLink(tx, deps.clock, wallet.id, id);
    invariant(link, 'a new link is stored');
    const created = { link, secrets };
    await writeRows(tx, order.extraRows?.(created) ?? []);
    return created;
  });
}

type LinkLimits = Partial<Pick<NewLink, 'maxMsat' | 'feeLimitMsat'>>;

/** A permanent link without limits has those of each claim: the balance, and the fee limit of its amount. */
async function limitsOf({ ledger }: WithdrawLinkDependencies, { uses, wallet, ...order }: NewLink): Promise<LinkLimits> {
  if (uses === undefined) return order;
  const maxMsat = order.maxMsat ?? (await ledger.balance(wallet.ledgerAccount)).spendableMsat;
  const feeLimitMsat = order.feeLimitMsat ?? feeLimit(CLAIM_FEE_RULE, maxMsat);
  // A link with an amount may be created before its wallet is funded.
  if (order.maxMsat === undefined && maxMsat < feeLimitMsat + SMALLEST_WITHDRAWAL) throw nothingToWithdraw(maxMsat, feeLimitMsat);
  return { maxMsat, feeLimitMsat };
}

function nothingToWithdraw(spendableMsat: Msat, feeLimitMsat: Msat): Refusal {
  return new Refusal(
    'insufficient_balance',
    `The spendable balance of ${spendableMsat} msat does not cover 1 sat and the link's fee limit of ${feeLimitMsat} msat. ` +
      'Send `num_satoshis` to create the link before the wallet is funded, or a smaller `fee_limit_msat`.',
  );
}
