import type { LightningTransactionDetails } from '../../api/client.ts';
import { Msat } from '../../parts/amount.tsx';
import { Card } from '../../parts/card.tsx';
import { print } from '../../texts/en-print.ts';
import { t } from '../../texts/texts.ts';

/** A part of what was held. The look is a class of the style sheet. */
interface Part {
  readonly look: 'paid' | 'fee' | 'service' | 'held' | 'released';
  readonly name: string;
  readonly msat: number;
}

/** Shows how the amount that was held for a payment was used. A payment inside the service reserves no fee and has no bar. */
export function HeldBar({ payment }: { payment: LightningTransactionDetails }) {
  const { held_msat: held, fee_limit_msat: limit } = payment;
  if (!held || !limit) return null;
  const parts = partsOf(payment, held).filter(({ msat }) => msat > 0);
  return (
    <Card isPadded class="held">
      <div class="small">
        <span class="secondary">{t.payment.stepNames.held}</span>{' '}
        <b>
          <Msat msat={held} unit />
        </b>
      </div>
      <div class="held-bar" aria-hidden="true">
        {parts.map(({ look, msat }) => (
          <i key={look} class={look} style={{ width: `${(msat / held) * 100}%` }} />
        ))}
      </div>
      <ul class="small">
        {parts.map(({ look, name, msat }) => (
          <li key={look}>
            <i class={look} aria-hidden="true" />
            <span class="secondary">{name}</span> <Msat msat={msat} unit />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function partsOf(payment: LightningTransactionDetails, held: number): Part[] {
  const { status, num_msat: amount, fee_msat: fee, service_fee_msat: serviceFee } = payment;
  const { paid, released, feeReserve } = print.heldParts;
  const service: Part = { look: 'service', name: print.serviceFee, msat: serviceFee };
  if (status === 'settled')
    return [
      { look: 'paid', name: paid, msat: amount },
      { look: 'fee', name: t.payment.fee, msat: fee ?? 0 },
      service,
      { look: 'released', name: released, msat: held - amount - (fee ?? 0) - serviceFee },
    ];
  if (status === 'failed') return [{ look: 'released', name: released, msat: held }];
  return [
    { look: 'held', name: t.payment.amount, msat: amount },
    service,
    { look: 'released', name: feeReserve, msat: held - amount - serviceFee },
  ];
}
