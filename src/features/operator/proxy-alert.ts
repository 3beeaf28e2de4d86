import type { Alerts } from '../../core/alerts/alerts.ts';
import { errorMessage, type Log } from '../../core/kernel/log.ts';
import type { OnUnreadableAddress } from '../../http/limits/forwarded.ts';

/** An operator needs the alert once, and each request of the proxy would write it again. */
const AGAIN_MS = 600_000;
const MAX_PROXIES = 100;
const SHOWN_LENGTH = 40;

/** Returns a function that raises an alert about a proxy whose X-Forwarded-For has an entry that is no address. */
export function reportUnreadableAddresses(
  { alerts, log }: { alerts: Alerts; log: Log },
  nowMs = () => performance.now(),
): OnUnreadableAddress {
  const raisedAtMs = new Map<string, number>();
  return (entry, proxy) => {
    const raised = raisedAtMs.get(proxy);
    if ((raised !== undefined && nowMs() - raised < AGAIN_MS) || (raised === undefined && raisedAtMs.size >= MAX_PROXIES)) return;
    raisedAtMs.set(proxy, nowMs());
    // The entry may come from a client, if the proxy passes its header on.
    const shown = entry.slice(0, SHOWN_LENGTH).replace(/[^\w.:[\]-]/g, '?');
    const message = `The proxy ${proxy} sends X-Forwarded-For with an entry that is no address: "${shown}".`;
    alerts
      .raise({ kind: 'proxy_address_unreadable', subject: proxy, message, details: { name: proxy, reason: shown } })
      .catch((error: unknown) => {
        raisedAtMs.delete(proxy);
        log.warn({ reason: errorMessage(error) }, 'an alert about a proxy was not stored');
      });
  };
}
