import { useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { api, type OutsidePayment } from '../../api/client.ts';
import type { Resource } from '../../api/resource.ts';
import { AmountName, formatMsat, Msat } from '../../parts/amount.tsx';
import { Badge, type BadgeProps } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Note } from '../../parts/note.tsx';
import { useUnit } from '../../parts/unit-setting.ts';
import { useIsPhone } from '../../parts/use-is-phone.ts';
import { playground } from '../../texts/en-playground.ts';
import type { OutsidePaymentList } from './outside-payments.ts';

const LOOKS: Readonly<Record<string, Pick<BadgeProps, 'tone' | 'icon'>>> = {
  succeeded: { tone: 'done', icon: 'done' },
  pending: { tone: 'waiting', icon: 'clock' },
  failed: { tone: 'failed', icon: 'failed' },
};

/** The number of payments that are shown at first. */
const FEW = 20;

/** What the outside nodes have sent and received, newest first. */
export function PaymentsCard({ payments }: { payments: Resource<OutsidePaymentList> }) {
  const [isAll, setIsAll] = useState(false);
  const count = payments.data?.length ?? 0;
  return (
    <Card
      title={playground.paymentsTitle}
      footer={
        !isAll &&
        count > FEW && (
          <Button size="small" onClick={() => setIsAll(true)}>
            {playground.showAll(count)}
          </Button>
        )
      }
    >
      <Loaded resource={payments}>
        {(list) =>
          list.length === 0 ? (
            <Empty icon="flask" title={playground.emptyTitle}>
              {playground.empty}
            </Empty>
          ) : (
            <table class="table">
              <thead>
                <tr>
                  <th>{playground.payment}</th>
                  <th class="desktop-only">{playground.hash}</th>
                  <th class="desktop-only">{playground.result}</th>
                  <th class="end">
                    <AmountName>{playground.sats}</AmountName>
                  </th>
                </tr>
              </thead>
              <tbody>
                {list.slice(0, isAll ? count : FEW).map((payment) => (
                  <PaymentRow key={payment.id} payment={payment} onChanged={payments.reload} />
                ))}
              </tbody>
            </table>
          )
        }
      </Loaded>
    </Card>
  );
}

function PaymentRow({ payment, onChanged }: { payment: OutsidePayment; onChanged: () => void }) {
  const { id, node, direction, state, amount_msat: amount, fee_msat: fee, payment_hash: hash } = payment;
  const isPhone = useIsPhone();
  const unit = useUnit();
  const result = (
    <>
      <Badge {...(LOOKS[state] ?? { tone: 'plain' })}>{playground.states[state] ?? state}</Badge>
      {state === 'pending' && direction === 'received' && <HoldActions payment={payment} onChanged={onChanged} />}
    </>
  );
  return (
    <tr>
      <td>
        <span class="name" id={`outside-${id}`}>
          {playground.number(id, node, playground.directions[direction] ?? direction)}
        </span>
        {isPhone && result}
      </td>
      <td class="desktop-only">
        <span class="tiny mono secondary">{hash}</span>
      </td>
      {!isPhone && <td>{result}</td>}
      <td class="end">
        <span class="strong">
          <Msat msat={amount} />
        </span>
        {fee > 0 && <span class="sub number">{playground.fee(formatMsat(fee, { unit }))}</span>}
      </td>
    </tr>
  );
}

/** The receiver of a hold invoice decides. A repeated decision changes nothing. */
function HoldActions({ payment: { id, payment_hash: hash }, onChanged }: { payment: OutsidePayment; onChanged: () => void }) {
  const { run, isBusy, error } = useAction(async (action: 'settle' | 'cancel') => {
    await api.playground.resolveHold(hash, { action });
    onChanged();
  });
  return (
    <>
      <div class="row wrap hold-actions">
        <Button size="small" aria-describedby={`outside-${id}`} disabled={isBusy} onClick={() => run('settle')}>
          {playground.settle}
        </Button>
        <Button kind="quiet" size="small" aria-describedby={`outside-${id}`} disabled={isBusy} onClick={() => run('cancel')}>
          {playground.cancel}
        </Button>
      </div>
      {error !== undefined && <Note tone="error">{error}</Note>}
    </>
  );
}
