import type { Wallet } from '../../api/client.ts';
import { Sats } from '../../parts/amount.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Spark } from '../../parts/spark.tsx';
import { t } from '../../texts/texts.ts';
import { balanceSteps, movedSats } from './balance-history.ts';
import { useBalanceHistory } from './use-balance-history.ts';

const DAYS = 30;

export interface TrendProps {
  readonly id: string;
  readonly wallet: Wallet | undefined;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** What moved in the last 30 days, in one line. It opens the chart. */
export function Trend({ id, wallet, isOpen, onToggle }: TrendProps) {
  const { data } = useBalanceHistory(id, DAYS);
  const now = Math.floor(Date.now() / 1000);
  const sums = data && movedSats(data);
  return (
    <button type="button" class="trend" aria-expanded={isOpen} title={t.wallet.chart} onClick={onToggle}>
      <span>{t.wallet.periods[DAYS]}</span>
      {data && wallet ? (
        <Spark points={balanceSteps(data, wallet.balance_msat + wallet.pending_msat, now)} now={now} />
      ) : (
        <span class="spark" />
      )}
      <span class="push number">
        {sums ? (
          <>
            <span class="positive">
              <Sats sats={sums.inSats} sign />
            </span>
            {' · '}
            <Sats sats={-sums.outSats} unit />
          </>
        ) : (
          <Skeleton width="14ch" height="1lh" />
        )}
      </span>
      <Icon name="chevron-down" size={15} />
    </button>
  );
}
