import { useState } from 'preact/hooks';
import type { Wallet } from '../../api/client.ts';
import { Sats } from '../../parts/amount.tsx';
import { BarsChart } from '../../parts/bars-chart.tsx';
import { Card } from '../../parts/card.tsx';
import { formatSats } from '../../parts/format-amount.ts';
import { formatDay } from '../../parts/format-time.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Stat } from '../../parts/stat.tsx';
import { StepsChart } from '../../parts/steps-chart.tsx';
import { t } from '../../texts/texts.ts';
import { balanceSteps, daysOf, type Totals, totalsOf } from './balance-history.ts';
import { type BalanceHistory, useBalanceHistory } from './use-balance-history.ts';
import { usePendingCount } from './use-wallet.ts';

const PERIODS = [7, 30, 90, 365];
/** With more steps than this, bars per day say more. */
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
          {(read) => (wallet ? <Chart history={read} wallet={wallet} days={days} name={name} /> : <Skeleton height={CHART_HEIGHT} />)}
        </Loaded>
      </div>
      <div class="balance-stats">
        <Loaded resource={history} skeleton={<MovedSkeleton name={name} />}>
          {(read) => <Moved totals={totalsOf(inPeriod(read, days))} name={name} />}
        </Loaded>
        <Held wallet={wallet} />
      </div>
    </Card>
  );
}

function inPeriod({ movements }: BalanceHistory, days: number) {
  const from = Date.now() / 1000 - days * 86_400;
  return movements.filter(({ at }) => at >= from);
}

function Chart({ history, wallet, days, name }: { history: BalanceHistory; wallet: Wallet; days: number; name: string }) {
  const now = Math.floor(Date.now() / 1000);
  const movements = inPeriod(history, days);
  const start = now - days * 86_400;
  const from = history.isCut ? Math.max(start, movements.at(-1)?.at ?? start) : start;
  const note = history.isCut && from > start && <p class="tiny faint">{t.wallet.chartSince(formatDay(from * 1000))}</p>;
  if (movements.length > MAX_STEPS) {
    const { inMsat, outMsat } = totalsOf(movements);
    const label = t.wallet.barsName(name, formatSats(Math.floor(inMsat / 1000)), formatSats(Math.ceil(outMsat / 1000)));
    return (
      <>
        <BarsChart days={daysOf(movements, { from, now })} label={label} />
        {note}
      </>
    );
  }
  // The last step follows the balance, which events keep up to date.
  const present = wallet.balance_msat + wallet.pending_msat;
  const steps = balanceSteps(movements, history.movements.length > 0 ? history.bookedMsat : present, { from, now });
  const points = [...steps.slice(0, -1), { at: now, value: Math.floor(present / 1000) }];
  return (
    <>
      <StepsChart points={points} now={now} label={t.wallet.chartName(name, formatSats(Math.floor(present / 1000)))} />
      {note}
    </>
  );
}

function Moved({ totals: { inMsat, outMsat, feeMsat, inCount }, name }: { totals: Totals; name: string }) {
  return (
    <>
      <Stat name={t.wallet.inPeriod(name)} remark={t.wallet.payments(inCount)}>
        <Sats sats={Math.floor(inMsat / 1000)} sign />
      </Stat>
      <Stat name={t.wallet.outPeriod(name)} remark={t.wallet.fees(formatSats(Math.ceil(feeMsat / 1000)))}>
        <Sats sats={-Math.ceil(outMsat / 1000)} />
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
      {wallet ? <Sats sats={Math.ceil(wallet.pending_msat / 1000)} /> : <Skeleton width="4ch" height="1lh" />}
    </Stat>
  );
}
