import type { ShownRate } from '../parts/format-fiat.ts';
import { api, type FiatRate } from './client.ts';
import { type Resource, useResource } from './resource.ts';

/** There are no events of the rate. */
const INTERVAL_MS = 60_000;

/** The currencies with rates from providers, and the rate at which amounts are shown. */
export interface FiatState {
  /** The rate of the currency of the account, or else the one that the operator has set; null without either. */
  readonly shown: ShownRate | null;
  /** The rate that the operator has set; null for none. */
  readonly set: ShownRate | null;
  /** The currency that the account has chosen; null for none. */
  readonly chosen: string | null;
  /** The currencies in which amounts can be sent. */
  readonly currencies: readonly string[];
}

/** Returns the fiat rates and the choice of the account. */
export function useFiat(): Resource<FiatState> {
  return useResource('fiat rate', loadFiat, { everyMs: INTERVAL_MS });
}

/** Returns the rate that the operator has set; null if there is none. */
export function useSetRate(): Resource<ShownRate | null> {
  const resource = useFiat();
  return { ...resource, data: resource.data?.set };
}

/** Returns the rate at which amounts are shown; null if there is none. */
export function useFiatRate(): Resource<ShownRate | null> {
  const resource = useFiat();
  return { ...resource, data: resource.data?.shown };
}

async function loadFiat(signal: AbortSignal): Promise<FiatState> {
  const [{ currency: chosen }, rates, operatorRate] = await Promise.all([
    api.account.get({}, { signal }),
    api.service.listRates({}, { signal }),
    api.service.getFiatRate({}, { signal }),
  ]);
  const set = toRate(operatorRate);
  const found = rates.find(({ currency }) => currency === chosen);
  const currencies = rates.map(({ currency }) => currency);
  if (!found || found.rate === null || found.rate_at === null) return { shown: set, set, chosen, currencies };
  const { currency, rate: perBtc, rate_at: setAt, rate_source: source, status } = found;
  return { shown: { currency, perBtc, setAt, source: source ?? '', isStale: status !== 'valid' }, set, chosen, currencies };
}

function toRate({ currency, per_btc: perBtc, set_at: setAt }: FiatRate): ShownRate | null {
  return currency === null || perBtc === null || setAt === null ? null : { currency, perBtc, setAt };
}
