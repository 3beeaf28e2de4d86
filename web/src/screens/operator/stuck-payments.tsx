import { useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { api, type OperatorPayment } from '../../api/client.ts';
import { readListPage } from '../../api/list.ts';
import { useResource } from '../../api/resource.ts';
import { useIdempotent } from '../../api/use-idempotent.ts';
import { formatMsat } from '../../parts/amount.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Foreign } from '../../parts/foreign.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Note } from '../../parts/note.tsx';
import { usePages } from '../../parts/pages.tsx';
import { Time } from '../../parts/time.tsx';
import { desk } from '../../texts/en-desk.ts';
import { t } from '../../texts/texts.ts';
import { ResolveSheet } from './resolve-sheet.tsx';
import { TurnPages } from './turn-pages.tsx';

const texts = t.operator.stuck;
const REFRESH_MS = 10_000;

const PAGE = 20;

interface PendingPaymentsProps {
  /** `stuck`: only those that have been pending for too long. */
  readonly status?: 'stuck' | 'pending';
  readonly onChanged?: () => void;
}

/** Payments that have not ended, oldest first, with what the nodes show about them. */
export function PendingPayments({ status = 'stuck', onChanged }: PendingPaymentsProps) {
  const pages = usePages();
  const query = { status, count: 1, 'per-page': PAGE, ...(pages.after !== undefined && { after: pages.after }) };
  const payments = useResource(
    `${status} payments ${pages.after ?? ''}`,
    (signal) => readListPage((options) => api.operator.listPendingPayments(query, options), signal),
    {
      everyMs: REFRESH_MS,
    },
  );
  const reload = () => {
    payments.reload();
    onChanged?.();
  };
  const isStuck = status === 'stuck';
  return (
    <Card title={isStuck ? texts.title : undefined} footer={<span class="small secondary">{texts.footer}</span>}>
      <Loaded resource={payments}>
        {({ items: list }) =>
          list.length === 0 ? (
            <Empty icon="done" title={isStuck ? texts.emptyTitle : desk.payments.emptyPending}>
              {isStuck ? texts.empty : desk.payments.emptyPendingText}
            </Empty>
          ) : (
            list.map((payment) => <PendingPayment key={payment.id} payment={payment} onChanged={reload} />)
          )
        }
      </Loaded>
      <TurnPages pages={pages} page={payments.data} perPage={PAGE} isOldestFirst />
    </Card>
  );
}

/** A payment that may not have ended, with what its node shows, and the actions on it while it is pending. */
export function PendingPayment({ payment: listed, onChanged }: { payment: OperatorPayment; onChanged: () => void }) {
  const [isOpen, setIsOpen] = useState(false);
  const [checked, setChecked] = useState<OperatorPayment>();
  // The list has the evidence of the last reconciliation; the person may have asked since then.
  const isNewer = (checked?.evidence?.checked_at ?? 0) > (listed.evidence?.checked_at ?? 0);
  const payment = isNewer && checked ? checked : listed;
  const idempotent = useIdempotent({ isRepeatable: true });
  const recheck = useAction(async () => {
    setChecked(await idempotent((options) => api.operator.recheckPayment(listed.id, {}, options)));
    onChanged();
  });
  const { evidence } = payment;
  return (
    <div class="padded stack tight">
      <div class="row">
        <bdi class="strong shrink">{payment.user_label || (payment.is_keysend ? texts.keysend : texts.payment)}</bdi>
        <span class="push number strong">{formatMsat(payment.num_msat)}</span>
      </div>
      <p class="tiny faint">
        <bdi>{payment.wallet_label || payment.wallet_id}</bdi> · <Time at={payment.created_at} isRelative /> ·{' '}
        {texts.holds(formatMsat(payment.held_msat))}
      </p>
      <p class="mono tiny">{payment.payment_hash}</p>
      {evidence && (
        <>
          <div class="row wrap">
            <Badge tone="waiting" icon="clock">
              {texts.nodeSays(evidence.node_state)}
            </Badge>
            <span class="small secondary">
              <Time at={evidence.checked_at} isRelative />
            </span>
          </div>
          <ul class="evidence">
            {evidence.facts.map((fact) => (
              <li key={fact.fact}>
                <Icon name={fact.holds ? 'done' : 'close'} size={15} />
                <span>
                  {fact.fact}
                  <span class="sub">
                    <Foreign text={fact.detail} />
                  </span>
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      {recheck.error !== undefined && <Note tone="error">{recheck.error}</Note>}
      {payment.status === 'pending' && (
        <div class="row wrap">
          <Button size="small" icon="refresh" disabled={recheck.isBusy} onClick={() => recheck.run()}>
            {texts.recheck}
          </Button>
          <Button size="small" onClick={() => setIsOpen(true)}>
            {texts.resolve}
          </Button>
        </div>
      )}
      {isOpen && <ResolveSheet payment={payment} onChanged={onChanged} onClose={() => setIsOpen(false)} />}
    </div>
  );
}
