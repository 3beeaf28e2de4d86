import { Link } from 'wouter-preact';
import { api, type Delivery, type Webhook } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { Time } from '../../parts/time.tsx';
import type { TimelineItem } from '../../parts/timeline.tsx';
import { t } from '../../texts/texts.ts';

/** Deliveries change without events. */
const REFRESH_MS = 5_000;

const LOOKS: Readonly<Record<string, Pick<TimelineItem, 'tone' | 'icon'>>> = {
  delivered: { tone: 'done', icon: 'webhook' },
  dead: { tone: 'failed', icon: 'webhook' },
  cancelled: { tone: 'plain', icon: 'webhook' },
};

/** Returns the webhook deliveries of the events of a payment or an invoice as entries of its timeline. */
export function useDeliveries(id: string): TimelineItem[] {
  const { data: deliveries = [] } = useResource(
    `deliveries of ${id}`,
    (signal) => api.lightningTransactions.listDeliveries(id, { 'per-page': 100 }, { signal }),
    { everyMs: REFRESH_MS, isAffected: ({ data }) => (data.lnTx ?? data.wtx?.lnTx)?.id === id },
  );
  const key = deliveries.length > 0 ? 'webhooks' : undefined;
  const { data: webhooks = [] } = useResource(key, (signal) => api.webhooks.list({ 'per-page': 100 }, { signal }));
  return deliveries.toReversed().map((delivery) => itemOf(delivery, webhooks));
}

function itemOf(delivery: Delivery, webhooks: readonly Webhook[]): TimelineItem {
  const { status, webhook_id: webhookId, created_at, ended_at, log } = delivery;
  const endpoint = webhooks.find((webhook) => webhook.id === webhookId);
  return {
    at: ended_at ?? log.at(-1)?.at ?? created_at,
    ...(LOOKS[status] ?? { tone: 'waiting', icon: 'webhook' }),
    text: t.payment.deliveries[status] ?? t.webhooks.delivering,
    detail: <DeliveryText delivery={delivery} endpoint={endpoint} />,
  };
}

function nameOf({ user_label, url }: Webhook): string {
  return [user_label, new URL(url).host].filter(Boolean).join(', ');
}

function DeliveryText({ delivery, endpoint }: { delivery: Delivery; endpoint: Webhook | undefined }) {
  const { event_name: event, status, attempts, log, next_attempt_at: next } = delivery;
  const last = log.at(-1);
  const hasFailed = status === 'retrying' || status === 'dead';
  return (
    <>
      <Link href={`/webhooks/${delivery.webhook_id}`}>
        <bdi>{endpoint ? nameOf(endpoint) : t.webhooks.endpoint}</bdi>
      </Link>
      {' · '}
      <code class="mono">{event}</code>
      {attempts > 0 && ` · ${t.payment.attempts(attempts)}`}
      {hasFailed && last && ` · ${last.status_code ?? t.webhooks.noResponse}`}
      {next !== null && (
        <>
          {` · ${t.payment.nextAttempt} `}
          <Time at={next} isRelative />
        </>
      )}
    </>
  );
}
