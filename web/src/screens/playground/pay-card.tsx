import { useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { api, type OutsidePayment } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { parseSats, TextAreaField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Note } from '../../parts/note.tsx';
import { optionsOf } from '../../parts/options.ts';
import { t } from '../../texts/texts.ts';
import { Choice } from './choice.tsx';
import { Outcome } from './outcome.tsx';

export type OutsideName = 'alice' | 'carol';

export const OUTSIDE_NODES = optionsOf(t.playground.fromNodes, ['alice', 'carol'] as const);

/** Lets an outside node pay an invoice of the service. The invoice can be paid once, so a repeated click pays nothing. */
export function PayCard({ onPaid }: { onPaid: () => void }) {
  const [invoice, setInvoice] = useState('');
  const [amount, setAmount] = useState('');
  const [from, setFrom] = useState<OutsideName>('alice');
  const [paid, setPaid] = useState<OutsidePayment>();
  const sats = parseSats(amount);
  const amountError = amount !== '' && sats === undefined ? t.playground.wholeSats : undefined;
  const { run, isBusy, error } = useAction(async () => {
    setPaid(undefined);
    try {
      const request = { payment_request: invoice.trim(), from, ...(sats !== undefined && { num_satoshis: sats }) };
      setPaid(await api.playgroundPay(request));
    } finally {
      onPaid();
    }
  });
  return (
    <Card title={t.playground.payTitle} isPadded>
      <Form onSubmit={() => amountError === undefined && run()}>
        <TextAreaField
          label={t.playground.invoice}
          hint={t.playground.invoiceHint}
          class="mono"
          rows={3}
          required
          value={invoice}
          onValue={setInvoice}
        />
        <TextField
          label={t.playground.amount}
          hint={t.playground.amountHint}
          error={amountError}
          inputMode="numeric"
          value={amount}
          onValue={setAmount}
        />
        <Choice label={t.playground.from} value={from} options={OUTSIDE_NODES} onChange={setFrom} />
        {error !== undefined && <Note tone="error">{error}</Note>}
        <Outcome payment={paid} />
        <div class="row">
          <Button kind="primary" type="submit" disabled={isBusy || invoice.trim() === ''}>
            {t.playground.pay}
          </Button>
        </div>
      </Form>
    </Card>
  );
}
