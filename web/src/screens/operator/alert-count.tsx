import { Icon } from '../../parts/icon.tsx';
import { formatCount } from '../../texts/count.ts';
import { t } from '../../texts/texts.ts';
import { useAlerts } from './use-alerts.ts';

/** The number of open alerts, beside an entry of the navigation. */
export function AlertCount() {
  const count = useAlerts().data?.length ?? 0;
  if (count === 0) return null;
  return (
    <span class="badge waiting alert-count">
      <Icon name="alert" size={15} />
      <span aria-hidden="true">{formatCount(count)}</span>
      <span class="visually-hidden">{t.operator.alerts.open(count)}</span>
    </span>
  );
}
