import { api, SatchelError } from '../../api/client.ts';
import { type Resource, useResource } from '../../api/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { Card } from '../../parts/card.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useIsPhone } from '../../parts/use-is-phone.ts';
import { playground } from '../../texts/en-playground.ts';
import { ClaimCard } from './claim-card.tsx';
import { FundCard } from './fund-card.tsx';
import { KeysendCard } from './keysend-card.tsx';
import { MakeCard } from './make-card.tsx';
import { Network } from './network.tsx';
import { type OutsidePaymentList, outsidePayments } from './outside-payments.ts';
import { PayCard } from './pay-card.tsx';
import { PayLinkCard } from './pay-link-card.tsx';
import { PaymentsCard } from './payments-card.tsx';
import './playground.css';

/** The other nodes report no events of their own. */
const EVERY_MS = 5_000;

/** `/playground`: the test network, if the service has one. */
export function PlaygroundScreen() {
  const payments = useResource('playground payments', outsidePayments, { everyMs: EVERY_MS, isAffected: () => true });
  const isMissing = payments.error instanceof SatchelError && payments.error.status === 404;
  return (
    <>
      <PageHead
        title={playground.title}
        aside={
          !isMissing && (
            <Badge tone="plain" icon="flask">
              {playground.testCoins}
            </Badge>
          )
        }
      />
      {isMissing ? <NoPlayground /> : <Playground payments={payments} />}
    </>
  );
}

function NoPlayground() {
  return (
    <Card>
      <Empty icon="flask" title={playground.noneTitle}>
        {playground.none} <code class="mono">LIGHTNING_URL=playground:</code>
      </Empty>
    </Card>
  );
}

function Playground({ payments }: { payments: Resource<OutsidePaymentList> }) {
  const network = useResource('playground', (signal) => api.playground.get({}, { signal }), {
    everyMs: EVERY_MS,
    isAffected: () => true,
  });
  const isPhone = useIsPhone();
  const nodes = (
    <Card title={playground.nodesTitle} footer={<span class="small secondary">{playground.route}</span>}>
      <Loaded resource={network}>{(playground) => <Network playground={playground} />}</Loaded>
    </Card>
  );
  return (
    <>
      {!isPhone && nodes}
      <div class="playground-cards">
        <PayCard onPaid={payments.reload} />
        <MakeCard />
        <FundCard onPaid={payments.reload} />
        <PayLinkCard onPaid={payments.reload} />
        <ClaimCard onPaid={payments.reload} />
        <KeysendCard onPaid={payments.reload} />
      </div>
      <PaymentsCard payments={payments} />
      {/* One below the other, the nodes would fill two screens. */}
      {isPhone && nodes}
    </>
  );
}
