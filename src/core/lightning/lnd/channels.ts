import { type Msat, msat, satToMsat } from '../../kernel/money.ts';
import type { Route, RouteQuery } from '../node.ts';
import { meaningOf } from './errors.ts';
import type { LndTransport } from './transport.ts';
import { readMsat, readWhole } from './values.ts';

/** A channel, as LND returns it. */
export interface LndChannel {
  /** Whether we opened it, and so pay the fees of its commitment transaction. */
  readonly initiator: boolean;
  readonly commitment_type: string;
  readonly fee_per_kw: string;
  readonly commit_fee: string;
  readonly local_constraints: { readonly dust_limit_sat: string };
  readonly pending_htlcs: readonly { readonly incoming: boolean; readonly amount: string; readonly hash_lock: string }[];
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
 * these fees, the balance would change with every HTLC, because each one makes the commitment transaction larger.
 */
export async function channelBalance(transport: LndTransport): Promise<Msat> {
  let before = await sumOfBalances(transport);
  for (let reads = 1; ; reads++) {
    const opened = (await listChannels(transport)).filter((channel) => channel.initiator);
    const after = await sumOfBalances(transport);
    if (before === after || reads === MAX_READS)
      return msat(after + satToMsat(opened.reduce((sum, one) => sum + commitmentFeeSat(one), 0)));
    before = after;
  }
}

async function sumOfBalances(transport: LndTransport): Promise<number> {
  const balance = await transport.call<ChannelBalance>({ method: 'GET', path: '/v1/balance/channels' });
  return readMsat(balance.local_balance.msat) + readMsat(balance.unsettled_remote_balance.msat);
}

/** Weights of a commitment transaction without HTLCs. Source: BOLT 3, and LND's `input/size.go` for taproot. */
const WEIGHTS: Readonly<Record<string, number>> = {
  LEGACY: 724,
  STATIC_REMOTE_KEY: 724,
  ANCHORS: 1124,
  SCRIPT_ENFORCED_LEASE: 1124,
  SIMPLE_TAPROOT: 968,
  SIMPLE_TAPROOT_FINAL: 968,
  SIMPLE_TAPROOT_OVERLAY: 968,
};
const HTLC_WEIGHT = 172;
/** Of the transactions that spend an HTLC. Only in channels without anchors do their fees make an HTLC dust. */
const HTLC_TIMEOUT_WEIGHT = 663;
const HTLC_SUCCESS_WEIGHT = 703;

/**
 * Returns the fee by which LND has reduced our balance in a channel. Its `commit_fee` cannot be used: that contains dust HTLCs, and the
 * fractions of a satoshi of both balances.
 */
function commitmentFeeSat(channel: LndChannel): number {
  const { commitment_type: type, fee_per_kw: rate, local_constraints: constraints } = channel;
  const weight = WEIGHTS[type];
  if (weight === undefined) return readWhole(channel.commit_fee);
  const feeOf = (units: number) => Math.floor((readWhole(rate) * units) / 1000);
  const spendingFee = (incoming: boolean) => (weight === WEIGHTS.LEGACY ? feeOf(incoming ? HTLC_SUCCESS_WEIGHT : HTLC_TIMEOUT_WEIGHT) : 0);
  const htlcs = channel.pending_htlcs.filter(
    ({ amount, incoming }) => readWhole(amount) - spendingFee(incoming) >= readWhole(constraints.dust_limit_sat),
  );
  return feeOf(weight + HTLC_WEIGHT * htlcs.length);
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
