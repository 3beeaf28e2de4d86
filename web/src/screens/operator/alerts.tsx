import { useState } from 'preact/hooks';
import { type Alert, api } from '../../api/client.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Foreign } from '../../parts/foreign.tsx';
import { Icon } from '../../parts/icon.tsx';
import { LoadError } from '../../parts/loaded.tsx';
import { Time } from '../../parts/time.tsx';
import { alertTexts as texts } from '../../texts/en-alerts.ts';
import { sentenceOf } from './alert-sentence.ts';
import { ReasonSheet } from './reason-sheet.tsx';
import { useAlerts } from './use-alerts.ts';
import './alerts.css';

/** The open alerts as sentences, each with a button that leads to the place where it is handled. */
export function Alerts() {
  const [closing, setClosing] = useState<Alert>();
  const alerts = useAlerts();
  // The banner above says it on every page.
  const shown = (alerts.data ?? []).filter(({ kind }) => kind !== 'withdrawals_stopped');
  if (alerts.error === undefined && shown.length === 0) return null;
  return (
    <>
      {alerts.error !== undefined && <LoadError error={alerts.error} onRetry={alerts.reload} />}
      {shown.length > 0 && (
        <section class="card alerts" aria-label={texts.list}>
          {shown.map((alert) => (
            <AlertRow key={alert.id} alert={alert} onClose={() => setClosing(alert)} />
          ))}
        </section>
      )}
      {closing && (
        <ReasonSheet
          title={texts.closeTitle}
          text={texts.closeText}
          action={texts.closeAction}
          run={(reason, options) => api.operator.closeAlert(closing.id, { reason }, options)}
          onDone={alerts.reload}
          onClose={() => setClosing(undefined)}
        />
      )}
    </>
  );
}

function AlertRow({ alert, onClose }: { alert: Alert; onClose: () => void }) {
  const [isOpen, setIsOpen] = useState(false);
  const { title, text, since, action } = sentenceOf(alert, Date.now());
  return (
    <div class="alert">
      <span class="alert-mark">
        <Icon name="alert" />
      </span>
      <div class="shrink">
        <p>
          <b class="strong">
            <bdi>{title}</bdi>
          </b>{' '}
          <Foreign text={text} />
        </p>
        <p class="small faint">
          {texts.since} <Time at={since} />
        </p>
        {isOpen && (
          <div class="alert-more small secondary" id={`more-${alert.id}`}>
            <p>
              <Foreign text={alert.message} />
            </p>
            <p>{alert.remedy}</p>
            <p class="mono tiny">{alert.kind}</p>
          </div>
        )}
        <div class="row alert-quiet">
          <Button
            kind="quiet"
            size="small"
            aria-expanded={isOpen}
            {...(isOpen && { 'aria-controls': `more-${alert.id}` })}
            onClick={() => setIsOpen(!isOpen)}
          >
            {isOpen ? texts.less : texts.more}
          </Button>
          <Button kind="quiet" size="small" onClick={onClose}>
            {texts.close}
          </Button>
        </div>
      </div>
      <LinkButton size="small" class="alert-action" href={action.href}>
        {action.label}
      </LinkButton>
    </div>
  );
}
