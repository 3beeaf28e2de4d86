import { api } from '../../api/client.ts';
import type { Resource } from '../../api/resource.ts';
import { useSlowResource } from '../../api/slow-resource.ts';
import type { BalanceHistory } from './balance-history.ts';
import { concernsWallet } from './use-wallet.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
/** A chart of a longer period shows days. */
const MAX_DAYS_OF_HOURS = 30;
const EVERY_MS = 300_000;
const EVENT_INTERVAL_MS = 5_000;

/** Reads the sums of the last days. The period begins with an hour, or with a day in UTC. */
export function useBalanceHistory(key: string, days: number): Resource<BalanceHistory> {
  return useSlowResource(
    `balance ${key} ${days}`,
    (signal) => {
      const [interval, seconds] = days <= MAX_DAYS_OF_HOURS ? (['hour', HOUR] as const) : (['day', DAY] as const);
      const from = Math.floor((Date.now() / 1000 - days * DAY) / seconds) * seconds;
      return api.wallets.getSummary(key, { from, interval }, { signal });
    },
    { isAffected: (event) => concernsWallet(event, key), intervalMs: EVENT_INTERVAL_MS, everyMs: EVERY_MS },
  );
}
