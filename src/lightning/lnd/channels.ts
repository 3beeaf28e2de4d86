import { type Msat, msat, satToMsat } from '../../kernel/money.ts';
import type { Route, RouteQuery } from '../node.ts';
import { meaningOf } from './errors.ts';
import type { LndTransport } from './transport.ts';
import { readMsat, readWhole } from './values.ts';

/** A channel, as LND returns it. */
export interface LndChannel {
  readonly initiator: boolean;
  readonly commit_fee: string;
  readonly pending_htlcs: readonly { readonly incoming: boolean; readonly hash_lock: string }[];
}

interface ChannelBalance {
  readonly local_balance: { readonly msat: string };
  /** Outgoing HTLCs with their fees. */
  readonly unsettled_remote_balance: { readonly msat: string };
}

interface QueryRoutesResponse {
  readonly routes: readonly {
    readonly total_time_lock: number;
    readonly total_fees_msat: string;
    readonly total_amt_msat: string;
    readonly hops: readonly {
      readonly chan_id: string;
      readonly pub_key: string;
      readonly amt_to_forward_msat: string;
      readonly fee_msat: string;
      readonly expiry: number;
    }[];
  }[];
}

/** The balance and the channels are two calls. When an HTLC changes between them, they do not belong together. */
const MAX_READS = 5;

export async function listChannels(transport: LndTransport): Promise<readonly LndChannel[]> {
  return (await transport.call<{ channels: LndChannel[] }>({ method: 'GET', path: '/v1/channels' })).channels;
}

/**
 * Returns the node's balance in its channels: what is ours, outgoing HTLCs, and the commitment fees of the channels that we opened. Without
 * these fees, the balance would change with every HTLC, because each one adds to the size of the commitment transaction.
 */
export async function channelBalance(transport: LndTransport): Promise<Msat> {
  let before = await sumOfBalances(transport);
  for (let reads = 1; ; reads++) {
    const fees = await ownCommitFees(transport);
    const after = await sumOfBalances(transport);
    if (before === after || reads === MAX_READS) return msat(after + fees);
    before = after;
  }
}

async function sumOfBalances(transport: LndTransport): Promise<number> {
  const balance = await transport.call<ChannelBalance>({ method: 'GET', path: '/v1/balance/channels' });
  return readMsat(balance.local_balance.msat) + readMsat(balance.unsettled_remote_balance.msat);
}

async function ownCommitFees(transport: LndTransport): Promise<Msat> {
  const channels = await listChannels(transport);
  const opened = channels.filter((channel) => channel.initiator);
  return satToMsat(opened.reduce((sum, { commit_fee }) => sum + readWhole(commit_fee), 0));
}

/** Returns the best route, or none. LND also finds a circular route to the node itself, which no payment can use. */
export async function queryRoutes(
  transport: LndTransport,
  { destination, amountMsat }: RouteQuery,
  self: string,
): Promise<readonly Route[]> {
  if (destination === self) return [];
  try {
    const path = `/v1/graph/routes/${destination}/0?amt_msat=${amountMsat}`;
    return (await transport.call<QueryRoutesResponse>({ method: 'GET', path })).routes.map(toRoute);
  } catch (error) {
    if (meaningOf(error)?.is === 'no_route') return [];
    throw error;
  }
}

function toRoute(route: QueryRoutesResponse['routes'][number]): Route {
  return {
    totalMsat: readMsat(route.total_amt_msat),
    feesMsat: readMsat(route.total_fees_msat),
    timeLock: route.total_time_lock,
    hops: route.hops.map((hop) => ({
      shortChannelId: hop.chan_id,
      // LND repeats the amount in `chan_capacity`.
      capacitySat: undefined,
      pubkey: hop.pub_key,
      forwardMsat: readMsat(hop.amt_to_forward_msat),
      feeMsat: readMsat(hop.fee_msat),
      expiryHeight: hop.expiry,
    })),
  };
}
