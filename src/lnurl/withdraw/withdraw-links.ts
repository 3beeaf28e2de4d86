import type { Key } from '../../accounts/accounts.ts';
import { writeRows } from '../../db/row-write.ts';
import { invariant } from '../../kernel/assert.ts';
import { unixSeconds } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import { floorSat, type Msat } from '../../kernel/money.ts';
import { Refusal } from '../../kernel/refusal.ts';
import { type Guard, type RowWrite, requireGuards } from '../../ledger/ledger.ts';
import { type LinkUses, LinkUsesChanged } from '../../payments/conclusion.ts';
import { CLAIM_FEE_RULE, feeLimit } from '../../payments/fee-limit.ts';
import { activeWalletGuard, type Wallet } from '../../wallets/wallets.ts';
import { encodeLnurl } from '../bech32.ts';
import {
  linkUrl,
  parameters,
  SMALLEST_WITHDRAWAL,
  type WithdrawLinkDependencies,
  type WithdrawParameters,
  type WithdrawRequest,
  withdraw,
} from './link-claims.ts';
import * as sql from './withdraw-links.sql.ts';
import { balanceTokenOf, k1Of, newToken, tokenHash } from './withdraw-token.ts';

export type { WithdrawRequest } from './link-claims.ts';

export interface NewLink {
  readonly wallet: Wallet;
  /** Absent: the wallet's spendable balance. */
  readonly maxMsat: Msat | undefined;
  readonly memo: string;
  /** JSON text for the payments of claims. */
  readonly passThru: string | undefined;
  readonly expirySeconds: number | undefined;
  readonly uses: number;
  /** The fee limit of one claim. Absent: {@link CLAIM_FEE_RULE}. */
  readonly feeLimitMsat?: Msat | undefined;
  /** Conditions, such as the validity of the requesting key. */
  readonly guards: readonly Guard[];
  /** Returns rows to write in the same transaction. */
  readonly extraRows?: (created: CreatedLink) => readonly RowWrite[];
  /** The key that creates the link. Claims count against its limits, and are rejected when its lineage is no longer valid. */
  readonly madeBy: Key | undefined;
}

/** A new link. Its token is returned only once. */
export interface CreatedLink {
  readonly id: string;
  readonly token: string;
  readonly url: string;
  /** `url` in bech32 (LUD-01), upper case. */
  readonly lnurl: string;
  readonly maxMsat: Msat;
  readonly feeLimitMsat: Msat;
  readonly expiresAt: number | undefined;
  readonly createdAt: number;
}

/** LNURL withdraw (LUD-03): links whose holders can withdraw money from a wallet. A link does not reserve money. */
export interface WithdrawLinks {
  /** Creates a link. @throws Refusal `insufficient_balance` if no amount is given and the balance does not cover 1 sat and the fee limit. */
  create(order: NewLink): Promise<CreatedLink>;
  /** Step 1: returns the amounts that can be withdrawn now. Changes nothing. @throws Refusal */
  parameters(request: WithdrawRequest): Promise<WithdrawParameters>;
  /**
   * Step 2: takes one use of the link and starts the payment of the invoice, in one database transaction. Repeating a claim that is pending
   * or was paid takes no further use.
   * @throws Refusal
   */
  withdraw(request: WithdrawRequest, paymentRequest: string): Promise<void>;
}

export function createWithdrawLinks(deps: WithdrawLinkDependencies): WithdrawLinks {
  return {
    create: (order) => create(deps, order),
    parameters: (request) => parameters(deps, request),
    withdraw: (request, paymentRequest) => withdraw(deps, request, paymentRequest),
  };
}

/** The rows that payments write when a claim fails, or succeeds after it was booked as failed. */
export const linkUses: LinkUses = {
  releaseUse: (linkId) => ({ statement: sql.releaseUse, parameters: [linkId], onMiss: new Error(`withdraw link ${linkId} is gone`) }),
  async takeUse(database, linkId) {
    const link = await database.first(sql.readUses, linkId);
    invariant(link, `withdraw link ${linkId} is gone`);
    const onMiss = new LinkUsesChanged();
    if (link.uses_left > 0) return { row: { statement: sql.takeUse, parameters: [linkId], onMiss }, overused: 0 };
    return { row: { statement: sql.overuse, parameters: [linkId, link.overused], onMiss }, overused: link.overused + 1 };
  },
};

async function create(deps: WithdrawLinkDependencies, order: NewLink): Promise<CreatedLink> {
  const { wallet, memo, passThru, uses } = order;
  const maxMsat = order.maxMsat ?? (await deps.ledger.balance(wallet.ledgerAccount)).spendableMsat;
  const feeLimitMsat = order.feeLimitMsat ?? feeLimit(CLAIM_FEE_RULE, maxMsat);
  // A link with an amount may be created before its wallet is funded.
  if (order.maxMsat === undefined && maxMsat < feeLimitMsat + SMALLEST_WITHDRAWAL) throw nothingToWithdraw(maxMsat, feeLimitMsat);
  const id = `lnurlw_${newId(deps.clock.nowMs())}`;
  const createdAt = unixSeconds(deps.clock);
  const expiresAt = order.expirySeconds === undefined ? undefined : createdAt + order.expirySeconds;
  const token = newToken();
  const balanceToken = balanceTokenOf(token);
  const hashes = [token, balanceToken, k1Of(token), k1Of(balanceToken)].map(tokenHash);
  const rest = [maxMsat, feeLimitMsat, uses, memo, passThru ?? null, expiresAt ?? null, createdAt, order.madeBy?.id ?? null];
  const url = `${await linkUrl(deps, wallet.id)}?ott=${token}&num_satoshis=${floorSat(maxMsat)}`;
  const made = { id, token, url, lnurl: encodeLnurl(url), maxMsat, feeLimitMsat, expiresAt, createdAt };
  await deps.database.transaction(async (tx) => {
    await requireGuards(tx, [activeWalletGuard(wallet.id), ...order.guards]);
    await tx.run(sql.insertLink, id, wallet.id, wallet.ledgerAccount, ...hashes, ...rest);
    await writeRows(tx, order.extraRows?.(made) ?? []);
  });
  return made;
}

function nothingToWithdraw(spendableMsat: Msat, feeLimitMsat: Msat): Refusal {
  return new Refusal(
    'insufficient_balance',
    `The spendable balance of ${spendableMsat} msat does not cover 1 sat and the link's fee limit of ${feeLimitMsat} msat. ` +
      'Send `num_satoshis` to create the link before the wallet is funded, or a smaller `fee_limit_msat`.',
  );
}
