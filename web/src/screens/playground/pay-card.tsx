import { useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { TextAreaField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { optionsOf } from '../../parts/options.ts';
import { playground } from '../../texts/en-playground.ts';
import { Choice } from './choice.tsx';
import { useAmount } from './use-amount.ts';
import { useOutsidePayment } from './use-outside-payment.tsx';

export type OutsideName = 'alice' | 'carol';

export const OUTSIDE_NODES = optionsOf(playground.fromNodes, ['alice', 'carol'] as const);

/** Lets an outside node pay an invoice of the service. The invoice can be paid once, so a repeated click pays nothing. */
export function PayCard({ onPaid }: { onPaid: () => void }) {
  const [invoice, setInvoice] = useState('');
  const { sats, isValid, field } = useAmount('');
  const [from, setFrom] = useState<OutsideName>('alice');
  const pay = () => api.playground.pay({ payment_request: invoice.trim(), from, ...(sats !== undefined && { num_satoshis: sats }) });
  const { run, isBusy, outcome } = useOutsidePayment(pay, onPaid);
  return (
    <Card title={playground.payTitle} isPadded>
      <Form onSubmit={() => isValid && run()}>
        <TextAreaField
          label={playground.invoice}
          hint={playground.invoiceHint}
          class="mono"
          rows={3}
          required
          value={invoice}
          onValue={setInvoice}
        />
        <TextField {...field} hint={playground.amountHint} />
        <Choice label={playground.from} value={from} options={OUTSIDE_NODES} onChange={setFrom} />
        {outcome}
        <div class="row">
          <Button kind="primary" type="submit" disabled={isBusy || invoice.trim() === ''}>
            {playground.pay}
          </Button>
        </div>
      </Form>
    </Card>
  );
}
