import { api, type OperatorPayment } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Details } from '../../parts/details.tsx';
import { Identifier } from '../../parts/identifier.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { optionsOf } from '../../parts/options.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Time } from '../../parts/time.tsx';
import { useFilters } from '../../parts/use-filters.ts';
import { desk } from '../../texts/en-desk.ts';
import { OperatorTabs } from './operator-tabs.tsx';
import { PendingPayment, PendingPayments } from './stuck-payments.tsx';
import './operator.css';

const texts = desk.payments;
const STATUSES = ['stuck', 'pending'] as const;
const REFRESH_MS = 10_000;

/** `/operator/payments`: payments that have not ended, oldest first. `?status=pending` lists those that are not stuck as well. */
export function OperatorPaymentsScreen() {
  const [search, change] = useFilters();
  const status = search.get('status') === 'pending' ? 'pending' : 'stuck';
  return (
    <>
      <PageHead title={texts.title} />
      <OperatorTabs />
      <div class="row">
        <Segments
          label={texts.which}
          value={status}
          options={optionsOf(texts.statuses, STATUSES)}
          onChange={(value) => change({ status: value === 'pending' ? value : undefined })}
        />
      </div>
      <PendingPayments key={status} status={status} />
    </>
  );
}

/** `/operator/payments/:id`: one payment of any wallet, to which an alert leads. */
export function OperatorPaymentScreen({ id }: { id: string }) {
  const payment = useResource(`operator payment ${id}`, (signal) => api.operator.getPayment(id, {}, { signal }), {
    everyMs: REFRESH_MS,
  });
  return (
    <>
      <PageHead title={texts.one} />
      <OperatorTabs />
      <Loaded resource={payment}>
        {(data) => (
          <div class="operator">
            <Card title={texts.state} actions={<Status payment={data} />}>
              <PendingPayment payment={data} onChanged={payment.reload} />
            </Card>
            <Card title={texts.details} isPadded>
              <Facts payment={data} />
              <LinkButton size="small" href={`/accounts?q=${encodeURIComponent(data.wallet_id)}`}>
                {texts.customer}
              </LinkButton>
            </Card>
          </div>
        )}
      </Loaded>
    </>
  );
}

const TONES = { pending: 'waiting', settled: 'done', failed: 'failed' } as const;

function Status({ payment: { status, is_stuck: isStuck } }: { payment: OperatorPayment }) {
  return (
    <Badge
      tone={TONES[status as keyof typeof TONES] ?? 'plain'}
      icon={status === 'settled' ? 'done' : status === 'failed' ? 'failed' : 'clock'}
    >
      {isStuck ? texts.statuses.stuck : (texts.states[status] ?? status)}
    </Badge>
  );
}

function Facts({ payment }: { payment: OperatorPayment }) {
  return (
    <Details
      entries={[
        [texts.wallet, <bdi key="wallet">{payment.wallet_label || payment.wallet_id}</bdi>],
        [texts.started, <Time key="started" at={payment.created_at} withSeconds />],
        [texts.failure, payment.failure_reason],
        [texts.node, <Identifier key="node" value={payment.ln_node_id} label={texts.node} />],
        [texts.id, <Identifier key="id" value={payment.id} label={texts.id} />],
      ]}
    />
  );
}
