import { type Msat, msat } from '../../src/core/kernel/money.ts';
import type { Route, RouteHop, RouteQuery } from '../../src/core/lightning/route.ts';
import { requirePoint, requireWhole } from '../checks.ts';
import type { NetworkState } from './network-state.ts';
import { routeFee } from './outgoing.ts';

const HEIGHT = 100;
const FINAL_DELTA = 40;
const FORWARDING_DELTA = 80;
const CAPACITY_SAT = 5_000_000_000;

/** Returns the only route to alice, our direct peer, or to carol, a peer of alice. */
export function routesTo(network: NetworkState, { destination, amountMsat }: RouteQuery): Route[] {
  requirePoint('destination', destination);
  requireWhole('amountMsat', amountMsat, 1);
  const { alice, carol } = network.identities.pubkeys;
  if (amountMsat > (network.tables.balance.get('local') ?? 0)) return [];
  const last = { forwardMsat: amountMsat, feeMsat: 0 as Msat, expiryHeight: HEIGHT + FINAL_DELTA };
  if (destination === alice) return [route(0 as Msat, [hop(1, alice, last)])];
  if (destination !== carol) return [];
  const feeMsat = routeFee('carol', amountMsat);
  return [route(feeMsat, [hop(1, alice, { ...last, feeMsat }), hop(2, carol, last)])];
}

function hop(channel: number, pubkey: string, rest: Pick<RouteHop, 'forwardMsat' | 'feeMsat' | 'expiryHeight'>): RouteHop {
  return { shortChannelId: String(channel), capacitySat: CAPACITY_SAT, pubkey, ...rest };
}

function route(feesMsat: Msat, hops: RouteHop[]): Route {
  const timeLock = HEIGHT + FINAL_DELTA + FORWARDING_DELTA * (hops.length - 1);
  return { totalMsat: msat((hops.at(-1)?.forwardMsat ?? 0) + feesMsat), feesMsat, timeLock, hops };
}
