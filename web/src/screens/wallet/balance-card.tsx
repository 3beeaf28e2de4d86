import { useState } from 'preact/hooks';
import type { Wallet } from '../../api/client.ts';
import { Sats, useSatsText } from '../../parts/amount.tsx';
import { BarsChart } from '../../parts/bars-chart.tsx';
import { Card } from '../../parts/card.tsx';
import { formatSats } from '../../parts/format-amount.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Stat } from '../../parts/stat.tsx';
import { StepsChart } from '../../parts/steps-chart.tsx';
import { t } from '../../texts/texts.ts';
import { type BalanceHistory, balanceSteps, daysOf, movedSats } from './balance-history.ts';
import { useBalanceHistory } from './use-balance-history.ts';
import { usePendingCount } from './use-wallet.ts';

const PERIODS = [7, 30, 90, 365];
/** With more payments than this, bars per day say more. */
const MAX_STEPS = 400;
const CHART_HEIGHT = '223px';

/** The balance over time, what came in and went out, and what is held. It has its size before the wallet is loaded. */
export function BalanceCard({ id, wallet }: { id: string; wallet: Wallet | undefined }) {
  const [days, setDays] = useState(30);
  const history = useBalanceHistory(id, days);
  const name = t.wallet.periods[days] ?? '';
  return (
    <Card isPadded class="balance-card">
      <div class="balance-chart">
        <div class="row">
          <h2 class="small">{t.wallet.balance}</h2>
          <Segments
            label={t.wallet.period}
            value={String(days)}
            options={PERIODS.map((period) => ({ value: String(period), label: t.wallet.periods[period] ?? '' }))}
            onChange={(value) => setDays(Number(value))}
          />
        </div>
        <Loaded resource={history} skeleton={<Skeleton height={CHART_HEIGHT} />}>
          {(read) => (wallet ? <Chart history={read} wallet={wallet} name={name} /> : <Skeleton height={CHART_HEIGHT} />)}
        </Loaded>
      </div>
      <div class="balance-stats">
        <Loaded resource={history} skeleton={<MovedSkeleton name={name} />}>
          {(read) => <Moved history={read} name={name} />}
        </Loaded>
        <Held wallet={wallet} />
      </div>
    </Card>
  );
}

function Chart({ history, wallet, name }: { history: BalanceHistory; wallet: Wallet; name: string }) {
  if (history.in_count + history.out_count > MAX_STEPS) {
    const { inSats, outSats } = movedSats(history);
    return <BarsChart days={daysOf(history)} label={t.wallet.barsName(name, formatSats(inSats), formatSats(outSats))} />;
  }
  const now = Math.floor(Date.now() / 1000);
  // The last step follows the balance, which events keep up to date.
  const presentMsat = wallet.balance_msat + wallet.pending_msat;
  const label = t.wallet.chartName(name, formatSats(Math.floor(presentMsat / 1000)));
  return <StepsChart points={balanceSteps(history, presentMsat, now)} now={now} label={label} />;
}

function Moved({ history, name }: { history: BalanceHistory; name: string }) {
  const { inSats, outSats } = movedSats(history);
  const satsText = useSatsText();
  return (
    <>
      <Stat name={t.wallet.inPeriod(name)} remark={t.wallet.payments(history.in_count)}>
        <Sats sats={inSats} sign unit />
      </Stat>
      <Stat name={t.wallet.outPeriod(name)} remark={t.wallet.fees(satsText(Math.ceil(history.fees_msat / 1000)))}>
        <Sats sats={-outSats} unit />
      </Stat>
    </>
  );
}

function MovedSkeleton({ name }: { name: string }) {
  return [t.wallet.inPeriod(name), t.wallet.outPeriod(name)].map((title) => (
    <Stat key={title} name={title} remark={'\u00a0'}>
      <Skeleton width="8ch" height="1lh" />
    </Stat>
  ));
}

function Held({ wallet }: { wallet: Wallet | undefined }) {
  const count = usePendingCount(wallet);
  return (
    <Stat name={t.wallet.heldNow} remark={count !== undefined && count > 0 ? t.wallet.heldFor(count) : undefined}>
      {wallet ? <Sats sats={Math.ceil(wallet.pending_msat / 1000)} unit /> : <Skeleton width="4ch" height="1lh" />}
    </Stat>
  );
}
