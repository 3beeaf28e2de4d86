import { optionsOf } from '../../parts/options.ts';
import { Segments } from '../../parts/segments.tsx';
import { t } from '../../texts/texts.ts';

const STATUSES = ['', 'delivered', 'queued', 'retrying', 'dead'] as const;

/** A status of deliveries; empty for all of them. */
export type DeliveryStatus = (typeof STATUSES)[number];

/** Returns the status in an address. */
export function readDeliveryStatus(search: URLSearchParams): DeliveryStatus {
  return STATUSES.find((one) => one === search.get('status')) ?? '';
}

/** The choice of which deliveries a list has. */
export function StatusFilter({ status, onStatus }: { status: DeliveryStatus; onStatus: (status: DeliveryStatus) => void }) {
  return (
    <div class="padded">
      <Segments label={t.webhooks.status} value={status} options={optionsOf(t.webhooks.deliveryStatuses, STATUSES)} onChange={onStatus} />
    </div>
  );
}
