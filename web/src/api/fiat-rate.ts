import type { SetRate } from '../parts/format-fiat.ts';
import { api, type FiatRate } from './client.ts';
import { type Resource, useResource } from './resource.ts';

/** There are no events of the rate. */
const INTERVAL_MS = 60_000;

/** Returns the fiat rate; null if the operator has set none. */
export function useFiatRate(): Resource<SetRate | null> {
  const resource = useResource('fiat rate', (signal) => api.service.getFiatRate({}, { signal }), { everyMs: INTERVAL_MS });
  return { ...resource, data: resource.data && toRate(resource.data) };
}

function toRate({ currency, per_btc: perBtc, set_at: setAt }: FiatRate): SetRate | null {
  return currency === null || perBtc === null || setAt === null ? null : { currency, perBtc, setAt };
}
