import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { api, type NewWebhook, type Webhook } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useCloseSheet } from '../../frame/close-sheet.ts';
import { Badge } from '../../parts/badge.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { SecretOnce } from '../../parts/secret-once.tsx';
import { Time } from '../../parts/time.tsx';
import { useIsPhone } from '../../parts/use-is-phone.ts';
import { useList } from '../../parts/use-list.tsx';
import { t } from '../../texts/texts.ts';
import { NewWebhookSheet } from './new-webhook.tsx';
import { WebhookDetails } from './webhook-details.tsx';
import './webhooks.css';

/** The status of deliveries changes without events. */
const REFRESH_MS = 5_000;

/** `/webhooks`, with the deliveries of one below at `/webhooks/:id?status=`, and the sheet `/webhooks/new`. */
export function WebhooksScreen({ id }: { id?: string }) {
  const [path] = useLocation();
  const [created, setCreated] = useState<NewWebhook>();
  const webhooks = useList('webhooks', api.webhooks.list, { everyMs: REFRESH_MS });
  const close = useCloseSheet('/webhooks');
  const listed = webhooks.page.data?.items.find((webhook) => webhook.id === id);
  // A webhook of another page is read by itself.
  const other = useResource(
    id === undefined || listed || !webhooks.page.data ? undefined : `webhook ${id}`,
    (signal) => api.webhooks.get(id ?? '', {}, { signal }),
    { everyMs: REFRESH_MS },
  );
  const selected = listed ?? other.data;
  const reload = () => {
    webhooks.page.reload();
    other.reload();
  };

  function finish(webhook: NewWebhook) {
    setCreated(webhook);
    reload();
  }

  return (
    <>
      <PageHead
        title={t.webhooks.title}
        actions={
          <LinkButton kind="primary" icon="plus" href="/webhooks/new">
            {t.webhooks.add}
          </LinkButton>
        }
      />
      {created && (
        <SecretOnce
          title={t.webhooks.created(created.user_label || created.url)}
          text={t.webhooks.secretHint}
          secret={created.secret}
          copyLabel={t.webhooks.copySecret}
          onStored={() => setCreated(undefined)}
        />
      )}
      <Card footer={webhooks.footer}>
        <Loaded resource={webhooks.page}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty icon="webhook" title={t.webhooks.emptyTitle} action={<LinkButton href="/webhooks/new">{t.webhooks.add}</LinkButton>}>
                {t.webhooks.empty}
              </Empty>
            ) : (
              <WebhookTable webhooks={items} selectedId={id ?? created?.id} />
            )
          }
        </Loaded>
      </Card>
      {selected && <WebhookDetails key={selected.id} webhook={selected} onSecret={finish} onChanged={reload} />}
      {path === '/webhooks/new' && <NewWebhookSheet onCreated={finish} onClose={close} />}
    </>
  );
}

function WebhookTable({ webhooks, selectedId }: { webhooks: readonly Webhook[]; selectedId: string | undefined }) {
  const isPhone = useIsPhone();
  return (
    <table class="table">
      <thead>
        <tr>
          <th>{t.webhooks.endpoint}</th>
          <th class="desktop-only">{t.webhooks.events}</th>
          <th class="desktop-only">{t.webhooks.lastDelivery}</th>
          <th class="desktop-only">{t.webhooks.status}</th>
        </tr>
      </thead>
      <tbody>
        {webhooks.map((webhook) => (
          <tr key={webhook.id} class={webhook.id === selectedId ? 'clickable open' : 'clickable'}>
            <td>
              <Link class="name" href={`/webhooks/${webhook.id}`} aria-current={webhook.id === selectedId ? 'true' : undefined}>
                <bdi>{webhook.user_label || webhook.url}</bdi>
              </Link>
              {webhook.user_label !== '' && <bdi class="sub mono">{webhook.url}</bdi>}
              {isPhone && <WebhookStatus webhook={webhook} />}
            </td>
            <td class="desktop-only secondary">{webhook.event_types === null ? t.webhooks.allEvents : webhook.event_types.join(', ')}</td>
            <td class="desktop-only secondary">
              {webhook.last_success_at === null ? t.webhooks.none : <Time at={webhook.last_success_at} isRelative />}
            </td>
            <td class="desktop-only">{!isPhone && <WebhookStatus webhook={webhook} />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function WebhookStatus({ webhook }: { webhook: Webhook }) {
  if (webhook.status === 'paused')
    return (
      <Badge tone="waiting" icon="clock">
        {t.statuses.paused}
      </Badge>
    );
  if (webhook.status === 'disabled')
    return (
      <Badge tone="failed" icon="failed">
        {t.webhooks.disabled}
      </Badge>
    );
  if (webhook.failing_since !== null)
    return (
      <Badge tone="failed" icon="failed">
        {t.webhooks.failing}
      </Badge>
    );
  if (webhook.last_success_at === null) return <Badge tone="plain">{t.webhooks.nothingDelivered}</Badge>;
  return (
    <Badge tone="done" icon="done">
      {t.statuses.active}
    </Badge>
  );
}
