import { msat } from '../../kernel/money.ts';
import type { Route, RouteHop, RouteQuery } from '../route.ts';
import { meaningOf } from './errors.ts';
import type { ClnRpc, RouteStep } from './rpc.ts';

/** The usual delay of the last hop, in blocks. Source: BOLT 11, `min_final_cltv_expiry_delta`. */
const FINAL_CLTV = 18;
/** A route may cost at most half of its amount. */
const MAX_FEE_SHARE = 2;

/** Returns one route for the whole amount, or none. */
export async function queryRoutes(rpc: ClnRpc, { destination, amountMsat }: RouteQuery): Promise<readonly Route[]> {
  const { id: source, blockheight } = await rpc.call('getinfo');
  const layers = ['auto.localchans', 'auto.sourcefree'];
  const fee = { maxfee_msat: Math.floor(amountMsat / MAX_FEE_SHARE) };
  try {
    const query = { source, destination, amount_msat: amountMsat, layers, ...fee, final_cltv: FINAL_CLTV, maxparts: 1 };
    const { routes } = await rpc.call('getroutes', query);
    return routes.map(({ path }) => toRoute(path, blockheight));
  } catch (error) {
    if (['no_route', 'fee_limit'].includes(meaningOf(error))) return [];
    throw error;
  }
}

function toRoute(path: readonly RouteStep[], blockheight: number): Route {
  const [first] = path;
  const last = path.at(-1);
  if (!first || !last) throw new Error('lightningd returned a route without hops');
  return {
    totalMsat: msat(first.amount_in_msat),
    feesMsat: msat(first.amount_in_msat - last.amount_out_msat),
    timeLock: blockheight + first.cltv_in,
    hops: path.map((step, index) => toHop(step, path[index + 1], blockheight)),
  };
}

/** A step describes a channel. The node at its far end forwards what arrives there over the channel of the next step. */
function toHop(step: RouteStep, next: RouteStep | undefined, blockheight: number): RouteHop {
  const forwardMsat = next?.amount_out_msat ?? step.amount_out_msat;
  return {
    shortChannelId: shortChannelId(step.short_channel_id_dir),
    capacitySat: undefined,
    pubkey: step.node_id_out,
    forwardMsat: msat(forwardMsat),
    feeMsat: msat(step.amount_out_msat - forwardMsat),
    expiryHeight: blockheight + (next ?? step).cltv_out,
  };
}

/** Converts `113x2x0/1` to a 64-bit integer. Source: BOLT 7, `short_channel_id`. */
function shortChannelId(text: string): string {
  const [block = '', transaction = '', output = ''] = text.replace(/\/[01]$/, '').split('x');
  return ((BigInt(block) << 40n) | (BigInt(transaction) << 16n) | BigInt(output)).toString();
}
