import { useState } from 'preact/hooks';
import { newAttemptId } from '../../api/attempt-id.ts';
import { type Alert, api } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { Button } from '../../parts/button.tsx';
import { Foreign } from '../../parts/foreign.tsx';
import { LoadError } from '../../parts/loaded.tsx';
import { Note } from '../../parts/note.tsx';
import { Time } from '../../parts/time.tsx';
import { t } from '../../texts/texts.ts';
import { ReasonSheet } from './reason-sheet.tsx';

const texts = t.operator.alerts;
const REFRESH_MS = 10_000;

/** The open alerts, with what to do. */
export function Alerts() {
  const [closing, setClosing] = useState<Alert>();
  const [attemptId] = useState(newAttemptId);
  const alerts = useResource('alerts', (signal) => api.listAlerts({ status: 'open', 'per-page': 20 }, { signal }), {
    everyMs: REFRESH_MS,
    isAffected: ({ event }) => event.name === 'alert_raised' || event.name === 'alert_resolved',
  });
  if (alerts.error === undefined && !alerts.data?.length) return null;
  return (
    <div class="stack tight">
      {alerts.error !== undefined && <LoadError error={alerts.error} onRetry={alerts.reload} />}
      {alerts.data?.map((alert) => (
        <Note
          key={alert.id}
          tone="warning"
          action={
            <Button size="small" onClick={() => setClosing(alert)}>
              {texts.close}
            </Button>
          }
        >
          <p class="strong">
            <Foreign text={alert.message} />
          </p>
          <p class="small">{alert.remedy}</p>
          <p class="tiny faint">
            {alert.kind} · {texts.raised} <Time at={alert.raised_at} isRelative />
          </p>
        </Note>
      ))}
      {closing && (
        <ReasonSheet
          title={texts.closeTitle}
          text={texts.closeText}
          action={texts.close}
          run={(reason) => api.closeAlert({ id: closing.id, reason }, { idempotencyKey: `${attemptId}${closing.id}` })}
          onDone={alerts.reload}
          onClose={() => setClosing(undefined)}
        />
      )}
    </div>
  );
}
