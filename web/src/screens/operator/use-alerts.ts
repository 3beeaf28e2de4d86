import { type Alert, api } from '../../api/client.ts';
import { type Resource, useResource } from '../../api/resource.ts';

/** The events of alerts belong to the first account, so other operators need the interval. */
const REFRESH_MS = 15_000;

/** Loads the open alerts. */
export function useAlerts(): Resource<Alert[]> {
  return useResource('alerts', (signal) => api.operator.listAlerts({ status: 'open', 'per-page': 100 }, { signal }), {
    everyMs: REFRESH_MS,
    isAffected: ({ event }) => event.name === 'alert_raised' || event.name === 'alert_resolved',
  });
}
