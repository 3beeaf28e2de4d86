import { useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { api, type OperatorPayment } from '../../api/client.ts';
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
import { Time } from '../../parts/time.tsx';
import { t } from '../../texts/texts.ts';
import { ResolveSheet } from './resolve-sheet.tsx';

const texts = t.operator.stuck;
const REFRESH_MS = 10_000;

/** Payments that have been pending for too long, with what the nodes show about them. */
export function StuckPayments({ onChanged }: { onChanged: () => void }) {
  const payments = useResource(
    'stuck payments',
    (signal) => api.operator.listPendingPayments({ status: 'stuck', 'per-page': 20 }, { signal }),
    {
      everyMs: REFRESH_MS,
    },
  );
  const reload = () => {
    payments.reload();
    onChanged();
  };
  return (
    <Card title={texts.title} footer={<span class="small secondary">{texts.footer}</span>}>
      <Loaded resource={payments}>
        {(list) =>
          list.length === 0 ? (
            <Empty icon="done" title={texts.emptyTitle}>
              {texts.empty}
            </Empty>
          ) : (
            list.map((payment) => <StuckPayment key={payment.id} payment={payment} onChanged={reload} />)
          )
        }
      </Loaded>
    </Card>
  );
}

function StuckPayment({ payment: listed, onChanged }: { payment: OperatorPayment; onChanged: () => void }) {
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
      <div class="row wrap">
        <Button size="small" icon="refresh" disabled={recheck.isBusy} onClick={() => recheck.run()}>
          {texts.recheck}
        </Button>
        <Button size="small" onClick={() => setIsOpen(true)}>
          {texts.resolve}
        </Button>
      </div>
      {isOpen && <ResolveSheet payment={payment} onChanged={onChanged} onClose={() => setIsOpen(false)} />}
    </div>
  );
}
