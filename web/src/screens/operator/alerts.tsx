import { useState } from 'preact/hooks';
import { type Alert, api } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Foreign } from '../../parts/foreign.tsx';
import { LoadError } from '../../parts/loaded.tsx';
import { Note } from '../../parts/note.tsx';
import { Time } from '../../parts/time.tsx';
import { t } from '../../texts/texts.ts';
import { ReasonSheet } from './reason-sheet.tsx';
import { useAlerts } from './use-alerts.ts';

const texts = t.operator.alerts;

/** The open alerts, with what to do. */
export function Alerts() {
  const [closing, setClosing] = useState<Alert>();
  const alerts = useAlerts();
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
          run={(reason, options) => api.operator.closeAlert(closing.id, { reason }, options)}
          onDone={alerts.reload}
          onClose={() => setClosing(undefined)}
        />
      )}
    </div>
  );
}
