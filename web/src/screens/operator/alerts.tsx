import { useState } from 'preact/hooks';
import { type Alert, api } from '../../api/client.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Foreign } from '../../parts/foreign.tsx';
import { formatExactTime, formatTime } from '../../parts/format-time.ts';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { LoadError } from '../../parts/loaded.tsx';
import { alertTexts as texts } from '../../texts/en-alerts.ts';
import { t } from '../../texts/texts.ts';
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
      <span class={alert.kind === 'node_silent' ? 'alert-mark failed' : 'alert-mark'}>
        <Icon name={iconOf(alert.kind)} />
      </span>
      <div class="shrink">
        <p>
          <b class="strong">
            <bdi>{title}</bdi>
          </b>{' '}
          <Foreign text={text} />
        </p>
        <div class="row wrap alert-quiet small faint">
          <span>
            {texts.since}{' '}
            <time dateTime={new Date(since * 1000).toISOString()} title={formatExactTime(since * 1000)}>
              {inSentence(formatTime(since * 1000, Date.now()))}
            </time>
          </span>
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
        {isOpen && (
          <div class="alert-more small secondary" id={`more-${alert.id}`}>
            <p>
              <Foreign text={alert.message} />
            </p>
            <p>{alert.remedy}</p>
            <p class="mono tiny">{alert.kind}</p>
          </div>
        )}
      </div>
      <LinkButton size="small" class="alert-action" href={action.href}>
        {action.label}
      </LinkButton>
    </div>
  );
}

/** `Today 14:31` behind other words. */
function inSentence(time: string): string {
  return time.replace(t.common.today, t.common.today.toLowerCase());
}

/** The shape repeats what the alert is about. */
function iconOf(kind: string): IconName {
  if (/^(?:node|credits|payments_arriving|relay)_?/.test(kind)) return 'plug';
  if (/^(?:payment|holds)_/.test(kind)) return 'clock';
  if (kind.startsWith('webhook')) return 'webhook';
  return kind === 'suspense_not_empty' ? 'in' : 'alert';
}
