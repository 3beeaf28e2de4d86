import { api, type BalanceSample, type OperatorOverview } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { formatMsat } from '../../parts/amount.tsx';
import { Badge } from '../../parts/badge.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { optionsOf } from '../../parts/options.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Stat } from '../../parts/stat.tsx';
import { StepsChart } from '../../parts/steps-chart.tsx';
import { Time } from '../../parts/time.tsx';
import { useFilters } from '../../parts/use-filters.ts';
import { t } from '../../texts/texts.ts';
import { Alerts } from './alerts.tsx';
import { BackupsCard } from './backups-card.tsx';
import { LiquidityCard } from './liquidity-card.tsx';
import { NodeCard } from './node-card.tsx';
import { OperatorTabs } from './operator-tabs.tsx';
import { PaymentFiguresCard } from './payment-figures.tsx';
import { RestoreCard } from './restore-card.tsx';
import { StopWithdrawals } from './stop-withdrawals.tsx';
import { PendingPayments } from './stuck-payments.tsx';
import { Suspense } from './suspense.tsx';
import './operator.css';

const texts = t.operator.overview;
/** The figures of the service have no events. */
const REFRESH_MS = 10_000;

/** `/operator`: what the nodes have, what is owed, and what needs the operator. */
export function OperatorScreen() {
  const overview = useResource('operator overview', (signal) => api.operator.getOverview({}, { signal }), { everyMs: REFRESH_MS });
  return (
    <>
      <PageHead
        title={texts.title}
        aside={overview.data && <NodesBadge overview={overview.data} />}
        actions={
          <>
            <LinkButton icon="refresh" href="/operator/reconciliation">
              {texts.reconcile}
            </LinkButton>
            <StopWithdrawals inFlight={overview.data?.pending_payments ?? 0} onDone={overview.reload} />
          </>
        }
      />
      <Alerts />
      <OperatorTabs />
      <RestoreCard />
      <Loaded resource={overview} skeleton={<Skeleton height="320px" />}>
        {(data) => (
          <div class="operator">
            <PaymentFiguresCard />
            <Card isPadded class="figures">
              <Figures overview={data} />
              <History />
            </Card>
            <LiquidityCard />
            <div class="operator-columns nodes">
              {data.nodes.map((node) => (
                <NodeCard key={node.id} node={node} onChanged={overview.reload} />
              ))}
            </div>
            <div class="operator-columns needs">
              <PendingPayments onChanged={overview.reload} />
              <Suspense onChanged={overview.reload} />
              <BackupsCard overview={data} />
            </div>
          </div>
        )}
      </Loaded>
    </>
  );
}

function NodesBadge({ overview: { nodes } }: { overview: OperatorOverview }) {
  const away = nodes.filter(({ status }) => status === 'unavailable').length;
  if (away === 0) return null;
  return (
    <Badge tone="failed" icon="alert">
      {texts.nodesAway(away, nodes.length)}
    </Badge>
  );
}

function Figures({ overview }: { overview: OperatorOverview }) {
  const sats = (msat: number | null) => (msat === null ? texts.unknown : formatMsat(Math.trunc(msat / 1000) * 1000));
  return (
    <div class="operator-figures">
      <Stat
        name={texts.assets}
        remark={
          overview.assets_at !== null && (
            <>
              {texts.asOf} <Time at={overview.assets_at} isRelative />
            </>
          )
        }
      >
        {sats(overview.assets_msat)}
      </Stat>
      <Stat name={texts.owed(overview.num_wallets)} remark={texts.inFlight(sats(overview.in_flight_msat))}>
        {sats(overview.liabilities_msat)}
      </Stat>
      <Stat name={texts.own} remark={texts.ownRemark}>
        {sats(overview.own_msat)}
      </Stat>
      <Stat name={texts.suspense} remark={texts.suspenseCount(overview.num_suspense)}>
        {sats(overview.suspense_msat)}
      </Stat>
    </div>
  );
}

const PERIODS = ['day', 'week', 'month', 'year'] as const;

/** Assets against liabilities over `?period=`. */
function History() {
  const [search, change] = useFilters();
  const period = PERIODS.find((one) => one === search.get('period')) ?? 'month';
  const samples = useResource(`operator history ${period}`, (signal) => api.operator.listBalanceSamples({ period }, { signal }));
  return (
    <div class="stack">
      <div class="row">
        <span class="push">
          <Segments
            label={texts.period}
            value={period}
            options={optionsOf(texts.periods, PERIODS)}
            onChange={(value) => change({ period: value === 'month' ? undefined : value })}
          />
        </span>
      </div>
      <Loaded resource={samples} skeleton={<Skeleton height="168px" />}>
        {(list) =>
          list.every((sample) => sample.assets_msat === null) ? <p class="secondary">{texts.noHistory}</p> : <Chart samples={list} />
        }
      </Loaded>
    </div>
  );
}

function Chart({ samples }: { samples: readonly BalanceSample[] }) {
  const sats = (msat: number) => Math.trunc(msat / 1000);
  const assets = samples.flatMap(({ at, assets_msat: msat }) => (msat === null ? [] : [{ at, value: sats(msat) }]));
  const owed = samples.map(({ at, liabilities_msat: msat }) => ({ at, value: sats(msat) }));
  const last = samples.at(-1);
  const label = texts.chart(formatMsat(last?.assets_msat ?? 0), formatMsat(last?.liabilities_msat ?? 0));
  return (
    <StepsChart
      points={assets}
      second={{ name: texts.owedShort, points: owed }}
      name={texts.assets}
      label={label}
      now={Math.floor(Date.now() / 1000)}
    />
  );
}
