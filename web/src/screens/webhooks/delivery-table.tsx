import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { useAction } from '../../api/action.ts';
import { api, type Delivery } from '../../api/client.ts';
import { useIdempotent } from '../../api/use-idempotent.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Foreign } from '../../parts/foreign.tsx';
import { Note } from '../../parts/note.tsx';
import { Time } from '../../parts/time.tsx';
import { useIsPhone } from '../../parts/use-is-phone.ts';
import { formatCount } from '../../texts/count.ts';
import { t } from '../../texts/texts.ts';

export interface DeliveryTableProps {
  readonly deliveries: readonly Delivery[];
  /** The names of webhooks by their ids, for a list of several webhooks. */
  readonly webhookNames?: ReadonlyMap<string, string>;
  readonly onRedelivered: () => void;
}

/** Deliveries, newest first; one of them is open and shows its attempts. */
export function DeliveryTable({ deliveries, webhookNames, onRedelivered }: DeliveryTableProps) {
  const [openId, setOpenId] = useState<string>();
  return (
    <table class="table">
      <thead>
        <tr>
          <th>{t.webhooks.event}</th>
          <th class="desktop-only">{t.webhooks.time}</th>
          <th class="desktop-only">{t.webhooks.result}</th>
          <th class="end desktop-only">{t.webhooks.took}</th>
          <th class="end desktop-only">{t.webhooks.attempts}</th>
          <th class="end desktop-only">
            <span class="visually-hidden">{t.webhooks.redeliver}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {deliveries.map((delivery) => {
          const isOpen = delivery.id === openId;
          return (
            <DeliveryRows
              key={delivery.id}
              delivery={delivery}
              isOpen={isOpen}
              webhookName={webhookNames && (webhookNames.get(delivery.webhook_id) ?? delivery.webhook_id)}
              onToggle={() => setOpenId(isOpen ? undefined : delivery.id)}
              onRedelivered={onRedelivered}
            />
          );
        })}
      </tbody>
    </table>
  );
}

interface DeliveryRowsProps {
  readonly delivery: Delivery;
  readonly isOpen: boolean;
  readonly webhookName: string | undefined;
  readonly onToggle: () => void;
  readonly onRedelivered: () => void;
}

function DeliveryRows({ delivery, isOpen, webhookName, onToggle, onRedelivered }: DeliveryRowsProps) {
  const idempotent = useIdempotent({ isRepeatable: true });
  const { run, isBusy, error } = useAction(async () => {
    await idempotent((options) => api.webhooks.redeliver(delivery.webhook_id, delivery.id, {}, options));
    onRedelivered();
  });
  const isPhone = useIsPhone();
  const last = delivery.log.at(-1);
  const redeliver = (
    <Button kind="quiet" size="small" icon="refresh" disabled={isBusy} onClick={() => run()}>
      {t.webhooks.redeliver}
    </Button>
  );
  return (
    <>
      <tr class={isOpen ? 'clickable open' : 'clickable'}>
        <td>
          <button type="button" class="name" aria-expanded={isOpen} onClick={onToggle}>
            {delivery.event_name}
          </button>
          {webhookName === undefined ? (
            <span class="sub mono">{delivery.event_id}</span>
          ) : (
            <span class="sub">
              <Link href={`/webhooks/${delivery.webhook_id}`}>
                <bdi>{webhookName}</bdi>
              </Link>
            </span>
          )}
          {isPhone && (
            <span class="row wrap">
              <Result delivery={delivery} />
              <span class="sub">
                <Time at={delivery.created_at} />
              </span>
            </span>
          )}
        </td>
        <td class="desktop-only secondary">
          <Time at={delivery.created_at} />
        </td>
        <td class="desktop-only">{!isPhone && <Result delivery={delivery} />}</td>
        <td class="end desktop-only secondary number">{last ? t.webhooks.milliseconds(last.duration_ms) : ''}</td>
        <td class="end desktop-only secondary number">{formatCount(delivery.attempts)}</td>
        <td class="end desktop-only">{!isPhone && redeliver}</td>
      </tr>
      {(isOpen || error !== undefined) && (
        <tr>
          <td colSpan={6}>
            {error !== undefined && <Note tone="error">{error}</Note>}
            {isOpen && <Attempts delivery={delivery} />}
            {isPhone && redeliver}
          </td>
        </tr>
      )}
    </>
  );
}

function Result({ delivery: { status, log, next_attempt_at: next, waits_for_earlier: waits } }: { delivery: Delivery }) {
  const last = log.at(-1);
  if (status === 'delivered')
    return (
      <Badge tone="done" icon="done">
        {String(last?.status_code ?? t.statuses.delivered)}
      </Badge>
    );
  if (status === 'dead')
    return (
      <Badge tone="failed" icon="failed">
        {t.statuses.dead}
      </Badge>
    );
  if (status === 'cancelled') return <Badge tone="plain">{t.statuses.cancelled}</Badge>;
  return (
    <>
      <Badge tone="waiting" icon="clock">
        {next === null || status === 'queued' ? (t.webhooks.deliveryStatuses[status] ?? status) : t.webhooks.nextAttempt}
        {next !== null && status !== 'queued' && <Time at={next} isRelative />}
      </Badge>
      {waits && <span class="sub">{t.webhooks.waitsForEarlier}</span>}
    </>
  );
}

/** Each attempt with its result, and the body of the last response. */
function Attempts({ delivery }: { delivery: Delivery }) {
  const last = delivery.log.at(-1);
  return (
    <div class="attempts">
      <div class="stack tight">
        <h3>{t.webhooks.attempts}</h3>
        {delivery.log.length === 0 && <p class="secondary">{t.webhooks.noAttempts}</p>}
        {delivery.log.map((attempt) => (
          <div class="row wrap" key={attempt.at}>
            <Badge tone={attempt.error === null ? 'done' : 'failed'} icon={attempt.error === null ? 'done' : 'failed'}>
              {attempt.status_code === null ? t.webhooks.noResponse : String(attempt.status_code)}
            </Badge>
            <span class="secondary">
              <Time at={attempt.at} withSeconds />, {t.webhooks.milliseconds(attempt.duration_ms)}
            </span>
            {attempt.error !== null && (
              <span class="small">
                <Foreign text={attempt.error} />
              </span>
            )}
          </div>
        ))}
      </div>
      {last && last.response !== '' && (
        <div class="stack tight shrink">
          <h3>{t.webhooks.lastResponse}</h3>
          <pre class="code">
            <bdi>{last.response}</bdi>
          </pre>
        </div>
      )}
    </div>
  );
}
