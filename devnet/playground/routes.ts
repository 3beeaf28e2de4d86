import { type RouteHop as LdkHop, type Path, PaymentParameters, RouteParameters } from 'lightningdevkit';
import type { Route, RouteHop, RouteQuery } from '../../src/lightning/node.ts';
import { bytesOf, hexOf, msatOf, someU64 } from './bindings.ts';
import type { LdkNode } from './ldk-node.ts';

/** What LDK asks for at the end of a route. */
const FINAL_CLTV_DELTA = 42;
/** A payment in one part, as LND's routes are. */
const ONE_PATH = 1;

/** What LDK's router would choose now; nothing is sent. */
export function routesTo(node: LdkNode, { destination, amountMsat }: RouteQuery): Route[] {
  const payee = PaymentParameters.constructor_from_node_id(bytesOf(destination), FINAL_CLTV_DELTA);
  payee.set_max_path_count(ONE_PATH);
  const found = node.findRoute(RouteParameters.constructor_new(payee, BigInt(amountMsat), someU64(undefined)));
  const height = node.manager.current_best_block().get_height();
  return (found?.get_paths() ?? []).map((path) => toRoute(node, path, height));
}

/** LDK's last hop has the amount where the others have their fee. */
function toRoute(node: LdkNode, path: Path, height: number): Route {
  const ldkHops = path.get_hops();
  const amounts = ldkHops.map((hop) => hop.get_fee_msat());
  const total = sum(amounts);
  const hops = ldkHops.map((hop, index) => toHop(node, hop, index, ldkHops, height));
  return {
    totalMsat: msatOf(total),
    feesMsat: msatOf(total - (amounts.at(-1) ?? 0n)),
    timeLock: height + deltas(ldkHops),
    hops,
  };
}

function toHop(node: LdkNode, hop: LdkHop, index: number, all: readonly LdkHop[], height: number): RouteHop {
  const later = all.slice(index + 1);
  const isLast = later.length === 0;
  return {
    shortChannelId: String(hop.get_short_channel_id()),
    capacitySat: node.capacitySat(hop.get_short_channel_id()),
    pubkey: hexOf(hop.get_pubkey()),
    forwardMsat: msatOf(isLast ? hop.get_fee_msat() : sum(later.map((one) => one.get_fee_msat()))),
    feeMsat: msatOf(isLast ? 0n : hop.get_fee_msat()),
    expiryHeight: height + deltas(isLast ? [hop] : later),
  };
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

function deltas(hops: readonly LdkHop[]): number {
  return hops.reduce((total, hop) => total + hop.get_cltv_expiry_delta(), 0);
}
