import { api, type OperatorOverview } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { t } from '../../texts/texts.ts';
import { AlertChannelsCard } from './alert-channels-card.tsx';
import { Alerts } from './alerts.tsx';
import { BackupsCard } from './backups-card.tsx';
import { ChecksCard } from './checks-card.tsx';
import { CoverCard } from './cover-card.tsx';
import { LiquidityCard } from './liquidity-card.tsx';
import { NodeCard } from './node-card.tsx';
import { OperatorTabs } from './operator-tabs.tsx';
import { PaymentFiguresCard } from './payment-figures.tsx';
import { RestoreCard } from './restore-card.tsx';
import { LimitsCard, WebhooksCard } from './service-cards.tsx';
import { StopWithdrawals } from './stop-withdrawals.tsx';
import { PendingPayments } from './stuck-payments.tsx';
import { Suspense } from './suspense.tsx';
import { UnknownHolds } from './unknown-holds.tsx';
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
            {data.nodes.map(({ id }) => (
              <UnknownHolds key={id} nodeId={id} onChanged={overview.reload} />
            ))}
            <PaymentFiguresCard />
            <CoverCard overview={data} />
            <LiquidityCard />
            <div class="operator-columns nodes">
              {data.nodes.map((node) => (
                <NodeCard key={node.id} node={node} onChanged={overview.reload} />
              ))}
            </div>
            <div class="operator-columns needs">
              <PendingPayments onChanged={overview.reload} />
              <Suspense onChanged={overview.reload} />
              <ChecksCard />
              <BackupsCard overview={data} />
              <WebhooksCard overview={data} />
              <LimitsCard />
              <AlertChannelsCard />
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
