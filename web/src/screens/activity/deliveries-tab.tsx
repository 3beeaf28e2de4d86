import { api } from '../../api/client.ts';
import { csvUrl } from '../../api/list.ts';
import { useResource } from '../../api/resource.ts';
import { Card } from '../../parts/card.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { useFilters } from '../../parts/use-filters.ts';
import { useList } from '../../parts/use-list.tsx';
import { t } from '../../texts/texts.ts';
import { readDeliveryStatus, StatusFilter } from '../webhooks/delivery-status.tsx';
import { DeliveryTable } from '../webhooks/delivery-table.tsx';

/** Deliveries change without events. */
const REFRESH_MS = 3_000;
/** An account has fewer. */
const MAX_WEBHOOKS = 100;

/** `/activity/deliveries?status=`: what was sent, or waits to be sent, to all webhooks of the account. */
export function DeliveriesTab() {
  const [search, change] = useFilters();
  const status = readDeliveryStatus(search);
  const deliveries = useList(
    `all deliveries ${status}`,
    (request, options) => api.webhooks.listAllDeliveries({ ...request, ...(status !== '' && { status }) }, options),
    { everyMs: REFRESH_MS, csv: csvUrl('webhook-deliveries', { status: status || undefined }) },
  );
  const webhooks = useResource('webhook names', (signal) => api.webhooks.list({ 'per-page': MAX_WEBHOOKS }, { signal }));
  const names = new Map(webhooks.data?.map(({ id, user_label, url }) => [id, user_label || url]));
  return (
    <Card footer={deliveries.footer}>
      <StatusFilter status={status} onStatus={(value) => change({ status: value })} />
      <Loaded resource={deliveries.page} skeleton={<SkeletonRows count={8} />}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon="webhook" title={t.webhooks.noDeliveriesTitle}>
              {t.webhooks.noDeliveries}
            </Empty>
          ) : (
            <DeliveryTable deliveries={items} webhookNames={names} onRedelivered={deliveries.page.reload} />
          )
        }
      </Loaded>
    </Card>
  );
}
