import { useLiveState } from '../../api/live.ts';
import { Icon } from '../../parts/icon.tsx';
import { t } from '../../texts/texts.ts';

/** Says that the list beside it shows what happens at once. */
export function Live() {
  if (useLiveState() !== 'live') return null;
  return (
    <span class="live tiny faint">
      <Icon name="lightning" size={15} />
      {t.wallet.live}
    </span>
  );
}
