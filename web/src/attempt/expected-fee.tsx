import { api } from '../api/client.ts';
import { useResource } from '../api/resource.ts';
import { formatMsat } from '../parts/format-amount.ts';
import { useUnit } from '../parts/unit-setting.ts';
import { money } from '../texts/en-money.ts';

export interface ExpectedFeeProps {
  /** The public key of the node that is paid. */
  readonly payee: string;
  readonly sats: number;
  /** The wallet's node. Absent: the wallet has not been loaded yet. */
  readonly nodeId: string | undefined;
}

/**
 * The fee of the route that the node would use now. The node does not know every route: a receiver behind private channels is found only with
 * the hints of the invoice. If the node finds no route, the fee is not known, but the payment can succeed nevertheless.
 */
export function ExpectedFee({ payee, sats, nodeId }: ExpectedFeeProps) {
  const { data, error } = useResource(nodeId === undefined ? undefined : `expected fee ${nodeId} ${payee} ${sats}`, (signal) =>
    api.nodes.queryRoutes(nodeId ?? '', { pub_key: payee, amt: sats }, { signal }),
  );
  const unit = useUnit();
  const fees = data?.routes.map((route) => Number(route.totalFeesMsat));
  if (fees && fees.length > 0) return <>{money.attempt.about(formatMsat(Math.min(...fees), { unit }))}</>;
  return <>{error === undefined && fees === undefined ? '…' : money.attempt.notKnown}</>;
}
