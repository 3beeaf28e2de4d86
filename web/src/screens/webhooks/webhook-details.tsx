import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { useAction } from '../../api/action.ts';
import { api, type NewWebhook, type Webhook } from '../../api/client.ts';
import { csvUrl } from '../../api/list.ts';
import { useIdempotent } from '../../api/use-idempotent.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { ConfirmSheet } from '../../parts/confirm-sheet.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Note } from '../../parts/note.tsx';
import { showToast } from '../../parts/toast.tsx';
import { useFilters } from '../../parts/use-filters.ts';
import { useList } from '../../parts/use-list.tsx';
import { t } from '../../texts/texts.ts';
import { readDeliveryStatus, StatusFilter } from './delivery-status.tsx';
import { DeliveryTable } from './delivery-table.tsx';
import { ReplaySheet } from './replay.tsx';

export interface WebhookDetailsProps {
  readonly webhook: Webhook;
  /** Receives the webhook with its new signing secret. */
  readonly onSecret: (webhook: NewWebhook) => void;
  readonly onChanged: () => void;
}

const REFRESH_MS = 3_000;

/** The deliveries of a webhook, and what can be done with it. */
export function WebhookDetails({ webhook, onSecret, onChanged }: WebhookDetailsProps) {
  const [search, change] = useFilters();
  const status = readDeliveryStatus(search);
  const { id } = webhook;
  const deliveries = useList(
    `deliveries ${id} ${status}`,
    (request, options) => api.webhooks.listDeliveries(id, { ...request, ...(status !== '' && { status }) }, options),
    { everyMs: REFRESH_MS, csv: csvUrl(`webhooks/${id}/deliveries`, { status: status || undefined }) },
  );
  return (
    <Card
      title={<bdi>{webhook.user_label || webhook.url}</bdi>}
      actions={<Actions webhook={webhook} onSecret={onSecret} onChanged={onChanged} />}
      footer={deliveries.footer}
    >
      {webhook.status === 'disabled' && (
        <div class="padded">
          <Note tone="warning">{t.webhooks.disabledReasons[webhook.disabled_reason ?? ''] ?? t.webhooks.disabled}</Note>
        </div>
      )}
      <StatusFilter status={status} onStatus={(value) => change({ status: value })} />
      <Loaded resource={deliveries.page}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon="webhook" title={t.webhooks.noDeliveriesTitle}>
              {t.webhooks.noDeliveries}
            </Empty>
          ) : (
            <DeliveryTable deliveries={items} onRedelivered={deliveries.page.reload} />
          )
        }
      </Loaded>
    </Card>
  );
}

function Actions({ webhook, onSecret, onChanged }: WebhookDetailsProps) {
  const [, navigate] = useLocation();
  const [sheet, setSheet] = useState<'rotate' | 'delete' | 'replay'>();
  const idempotent = useIdempotent({ isRepeatable: true });
  const { id } = webhook;
  const test = useAction(async () => {
    await idempotent((options) => api.webhooks.test(id, {}, options));
    showToast(t.webhooks.testSent);
    onChanged();
  });
  const pause = useAction(async () => {
    await api.webhooks.update(id, { status: webhook.status === 'active' ? 'paused' : 'active' });
    onChanged();
  });
  const close = () => setSheet(undefined);
  const error = test.error ?? pause.error;
  return (
    <>
      <Button size="small" disabled={test.isBusy} onClick={() => test.run()}>
        {t.webhooks.test}
      </Button>
      <Button size="small" onClick={() => setSheet('replay')}>
        {t.webhooks.replay}
      </Button>
      <Button size="small" disabled={pause.isBusy} onClick={() => pause.run()}>
        {webhook.status === 'active' ? t.webhooks.pause : t.webhooks.resume}
      </Button>
      <Button size="small" onClick={() => setSheet('rotate')}>
        {t.webhooks.rotate}
      </Button>
      <Button size="small" kind="danger" onClick={() => setSheet('delete')}>
        {t.webhooks.delete}
      </Button>
      {error !== undefined && <Note tone="error">{error}</Note>}
      {sheet === 'replay' && <ReplaySheet webhookId={id} onReplayed={onChanged} onClose={close} />}
      {sheet === 'rotate' && (
        <ConfirmSheet
          title={t.webhooks.rotateTitle}
          text={t.webhooks.rotateText}
          action={t.webhooks.rotate}
          tone="primary"
          onConfirm={async (options) => onSecret(await api.webhooks.rotateSecret(id, { overlap_seconds: 86_400 }, options))}
          onClose={close}
        />
      )}
      {sheet === 'delete' && (
        <ConfirmSheet
          title={t.webhooks.deleteTitle(webhook.user_label || webhook.url)}
          text={t.webhooks.deleteText}
          action={t.webhooks.delete}
          onConfirm={async () => {
            await api.webhooks.delete(id);
            navigate('/webhooks', { replace: true });
            onChanged();
          }}
          onClose={close}
        />
      )}
    </>
  );
}
