import { api, type BalanceSample, type OperatorOverview } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { wholeSats } from '../../parts/balance-bar.tsx';
import { Card } from '../../parts/card.tsx';
import { lazy } from '../../parts/lazy.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { optionsOf } from '../../parts/options.ts';
import { Segments } from '../../parts/segments.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Stat } from '../../parts/stat.tsx';
import { Time } from '../../parts/time.tsx';
import { useFilters } from '../../parts/use-filters.ts';
import { service } from '../../texts/en-service.ts';
import { coverText } from './cover-text.ts';
import './cover.css';

const texts = service.cover;
const PERIODS = ['day', 'week', 'month', 'year'] as const;
/** A reconciliation stores one sample per hour. */
const REFRESH_MS = 300_000;

const OwedChart = lazy(() => import('./cover-charts.tsx').then((file) => file.OwedChart));
const RatioChart = lazy(() => import('./cover-charts.tsx').then((file) => file.RatioChart));

/** What is owed and how much of it the nodes have, now and over `?period=`. */
export function CoverCard({ overview }: { overview: OperatorOverview }) {
  const [search, change] = useFilters();
  const period = PERIODS.find((one) => one === search.get('period')) ?? 'month';
  const samples = useResource(`operator history ${period}`, (signal) => api.operator.listBalanceSamples({ period }, { signal }), {
    everyMs: REFRESH_MS,
  });
  const over = texts.over[period];
  return (
    <Card
      title={texts.title}
      actions={
        <Segments
          label={texts.period}
          value={period}
          options={optionsOf(texts.periods, PERIODS)}
          onChange={(value) => change({ period: value === 'month' ? undefined : value })}
        />
      }
      isPadded
    >
      <div class="cover">
        <Owed overview={overview} />
        <Loaded resource={samples} skeleton={<Skeleton height="200px" />}>
          {(list) => (list.length === 0 ? <p class="secondary">{texts.noHistory}</p> : <OwedChart samples={list} over={over} />)}
        </Loaded>
        <Cover overview={overview} />
        <Loaded resource={samples} skeleton={<Skeleton height="200px" />}>
          {(list) => <Ratio samples={list} over={over} lowestOf={texts.lowestOf[period]} />}
        </Loaded>
      </div>
    </Card>
  );
}

function Owed({ overview }: { overview: OperatorOverview }) {
  const { owed_msat: owed, liabilities_msat: wallets, suspense_msat: suspense, in_flight_msat: inFlight } = overview;
  return (
    <Stat
      name={texts.owed}
      remark={
        <>
          {texts.owedTo(wholeSats(wallets), overview.num_wallets, wholeSats(inFlight))}{' '}
          {texts.suspense(wholeSats(suspense), overview.num_suspense)}
        </>
      }
    >
      {wholeSats(owed)}
    </Stat>
  );
}

function Cover({
  overview: { cover_percent: cover, assets_msat: assets, assets_at: at, own_msat: own, owed_msat: owed },
}: {
  overview: OperatorOverview;
}) {
  const sats = (msat: number | null) => (msat === null ? texts.unknown : wholeSats(msat));
  return (
    <div class="stack">
      <Stat name={texts.cover} remark={owed > 0 ? texts.coverRemark : texts.nothingOwed}>
        {cover === null ? texts.unknown : coverText(cover)}
      </Stat>
      <Stat
        name={texts.assets}
        remark={
          at !== null && (
            <>
              {texts.measured} <Time at={at} isRelative />
            </>
          )
        }
      >
        {sats(assets)}
      </Stat>
      <Stat name={texts.own} remark={texts.ownRemark}>
        {sats(own)}
      </Stat>
    </div>
  );
}

function Ratio(props: { samples: readonly BalanceSample[]; over: string; lowestOf: string }) {
  if (props.samples.every((sample) => sample.lowest_cover_percent === null)) return <p class="secondary">{texts.noCover}</p>;
  return <RatioChart {...props} />;
}
