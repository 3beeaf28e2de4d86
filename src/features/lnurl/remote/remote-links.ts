import type { Clock } from '../../../core/kernel/clock.ts';
import type { Outbound } from '../../../core/outbound/outbound.ts';
import type { StartedPayment } from '../../../core/payments/hold.ts';
import type { Destination } from './destination.ts';
import { createFetchJson } from './fetch-json.ts';
import type { PayOffer } from './pay-offer.ts';
import { payRemote, type RemotePayDependencies, type RemotePayment, readOffer } from './remote-pay.ts';
import { pullRemote, type RemotePull, type RemotePullDependencies, type RequestedWithdrawal } from './remote-pull.ts';
import { RequestCounts } from './request-counts.ts';

/** Links and addresses of other services, which wallets of this service pay or withdraw from. */
export interface RemoteLinks {
  /** Reads what a payee accepts. @throws Refusal */
  probe(destination: Destination, accountId: string): Promise<PayOffer>;
  /** See `remote-pay.ts`. @throws Refusal, NodeUnavailable when no payment was started. */
  pay(order: RemotePayment): Promise<StartedPayment>;
  /** See `remote-pull.ts`. @throws Refusal, NodeUnavailable when no invoice was created. */
  pull(order: RemotePull): Promise<RequestedWithdrawal>;
}

export interface RemoteLinkDependencies {
  readonly outbound: Pick<Outbound, 'getJson'>;
  readonly payments: RemotePayDependencies['payments'];
  readonly invoices: RemotePullDependencies['invoices'];
  readonly clock: Clock;
}

export function createRemoteLinks({ outbound, ...rest }: RemoteLinkDependencies): RemoteLinks {
  const deps = { ...rest, fetchJson: createFetchJson(outbound) };
  const counts = new RequestCounts();
  return {
    probe: (destination, accountId) => counts.ofProbe(accountId, () => readOffer(deps, destination)),
    pay: (order) => counts.ofWallet(order.wallet, () => payRemote(deps, order)),
    pull: (order) => counts.ofWallet(order.wallet, () => pullRemote(deps, order)),
  };
}
