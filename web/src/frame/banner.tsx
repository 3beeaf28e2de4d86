import { useEffect, useState } from 'preact/hooks';
import { onLiveState } from '../api/live.ts';
import { type ServiceState, unreachableText, useServiceState } from '../api/service-state.ts';
import { useSession } from '../api/session.tsx';
import { formatMinute, formatTime } from '../parts/format-time.ts';
import { lazy } from '../parts/lazy.tsx';
import { Note } from '../parts/note.tsx';
import { t } from '../texts/texts.ts';

/** A short interruption of the events is not reported: the connection is restored within seconds. */
const LOST_AFTER_MS = 6_000;

const StoppedBanner = lazy(() => import('../screens/operator/stopped-banner.tsx').then((file) => file.StoppedBanner));

/** Says first in the content which part of the service does not work, and what still does. It never blocks the page. */
export function Banner() {
  const service = useServiceState();
  const { account } = useSession();
  const lostAt = useLostAt();
  const text = bannerText(service, lostAt);
  return (
    <div class="banner" role="status">
      {text !== undefined && <Note tone="warning">{text}</Note>}
      {service.withdrawals === 'stopped' && account.role === 'operator' && <StoppedBanner />}
    </div>
  );
}

/** Returns the most important text, or undefined while all works. `lostAt`: since when no events arrive, in ms. */
export function bannerText(
  { isReachable, answeredAt, savedAt, database, node }: ServiceState,
  lostAt: number | undefined,
): string | undefined {
  if (!isReachable && savedAt !== undefined) return `${unreachableText()} ${t.common.dataFrom(formatTime(savedAt, Date.now()))}`;
  if (!isReachable)
    return navigator.onLine === false
      ? `${t.banner.deviceOffline} ${t.banner.offline(formatMinute(answeredAt))}`
      : t.banner.offline(formatMinute(answeredAt));
  if (database === 'unavailable') return t.banner.databaseAway;
  if (database === 'read_only') return t.banner.readOnly;
  if (node === 'unavailable') return t.banner.nodeAway;
  if (node === 'behind') return t.banner.nodeBehind;
  if (node === 'partial') return t.banner.nodesPartlyAway;
  return lostAt === undefined ? undefined : t.banner.notLive(formatMinute(lostAt));
}

/** Returns since when the live connection is lost, in ms, once that has lasted for some seconds. */
function useLostAt(): number | undefined {
  const [lostAt, setLostAt] = useState<number>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = onLiveState((state) => {
      if (state !== 'lost') {
        clearTimeout(timer);
        timer = undefined;
        setLostAt(undefined);
      } else if (timer === undefined) {
        const now = Date.now();
        timer = setTimeout(() => setLostAt(now), LOST_AFTER_MS);
      }
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, []);
  return lostAt;
}
