import { api, type Liquidity } from '../../api/client.ts';
import { type Resource, useResource } from '../../api/resource.ts';

/** Channels have no events. */
const REFRESH_MS = 10_000;

/** Loads what the nodes can send and receive. */
export function useLiquidity(): Resource<Liquidity> {
  return useResource('liquidity', (signal) => api.operator.getLiquidity({}, { signal }), { everyMs: REFRESH_MS });
}
