import type { Route, RouteQuery } from '../route.ts';
import { meaningOf } from './errors.ts';
import type { LndTransport } from './transport.ts';
import { readMsat } from './values.ts';

interface LndRoute {
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
    return (await transport.get<{ routes: readonly LndRoute[] }>(path)).routes.map(toRoute);
  } catch (error) {
    if (meaningOf(error) === 'no_route') return [];
    throw error;
  }
}

function toRoute(route: LndRoute): Route {
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
