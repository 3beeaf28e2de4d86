import { useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { formatSats } from '../../parts/amount.tsx';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { TextAreaField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { playground } from '../../texts/en-playground.ts';
import { Choice } from './choice.tsx';
import { OUTSIDE_NODES, type OutsideName } from './pay-card.tsx';
import { useAmount } from './use-amount.ts';
import { useOutsidePayment } from './use-outside-payment.tsx';

/** Lets an outside node pay an address or a pay link of the service. */
export function PayLinkCard({ onPaid }: { onPaid: () => void }) {
  const [destination, setDestination] = useState('');
  const [comment, setComment] = useState('');
  const { sats, field } = useAmount('100');
  const [from, setFrom] = useState<OutsideName>('alice');
  const text = comment.trim() === '' ? {} : { comment: comment.trim() };
  const pay = () => api.playground.payLink({ destination: destination.trim(), num_satoshis: sats ?? 0, from, ...text });
  const { run, isBusy, outcome } = useOutsidePayment(pay, onPaid);
  return (
    <Card title={playground.payLinkTitle} isPadded>
      <Form onSubmit={() => sats !== undefined && run()}>
        <TextAreaField
          label={playground.payLink}
          hint={playground.payLinkHint}
          class="mono"
          rows={2}
          required
          value={destination}
          onValue={setDestination}
        />
        <TextField {...field} />
        <TextField label={playground.comment} value={comment} onValue={setComment} autocomplete="off" />
        <Choice label={playground.from} value={from} options={OUTSIDE_NODES} onChange={setFrom} />
        {outcome}
        <div class="row">
          <Button type="submit" disabled={isBusy || destination.trim() === '' || sats === undefined}>
            {playground.payLinkSats(sats === undefined ? '' : formatSats(sats))}
          </Button>
        </div>
      </Form>
    </Card>
  );
}
