import { timingSafeEqual } from 'node:crypto';
import type { Accounts } from '../accounts/accounts.ts';
import type { Database } from '../db/database.ts';
import { invariant } from '../kernel/assert.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { type Msat, minMsat, msat, satToMsat } from '../kernel/money.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { RowWrite } from '../ledger/posting.ts';
import type { NodeInfo } from '../lightning/node.ts';
import { readInvoice } from '../payments/pay-invoice.ts';
import type { Payments } from '../payments/payments.ts';
import type { Wallet, Wallets } from '../wallets/wallets.ts';
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
  readonly accounts: Accounts;
  readonly wallets: Wallets;
  readonly payments: Payments;
  readonly network: NodeInfo['network'];
  readonly clock: Clock;
  /** The service's address as others see it, without a slash at its end; never taken from a request. */
  readonly publicUrl: string;
}

const SMALLEST_WITHDRAWAL = satToMsat(1);

export function createWithdrawLinks(deps: WithdrawLinkDependencies): WithdrawLinks {
  return {
    create: (order) => create(deps, order),
    async parameters(request) {
      const { link, maxMsat } = await open(deps, request);
      const lowered = request.numSatoshis === undefined ? '' : `&num_satoshis=${request.numSatoshis}`;
      const base = await linkUrl(deps, link.wallet_id);
      return {
        tag: 'withdrawRequest',
        callback: `${base}?ott=${request.token}${lowered}`,
        k1: k1Of(request.token),
        defaultDescription: link.memo,
        minWithdrawable: minMsat(SMALLEST_WITHDRAWAL, maxMsat),
        maxWithdrawable: maxMsat,
        balanceCheck: `${base}?ott=${(await isBalanceToken(deps, link, request.token)) ? request.token : balanceTokenOf(request.token)}`,
      };
    },
    withdraw: (request, paymentRequest) => withdraw(deps, request, paymentRequest),
  };
}

/** What a payment that failed for good writes, so that its link can be claimed again. */
export function releaseLink(linkId: string): RowWrite {
  return { statement: sql.release, parameters: [linkId], otherwise: new Error(`withdraw link ${linkId} is gone`) };
}
