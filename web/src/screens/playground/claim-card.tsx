import { useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { TextAreaField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { playground } from '../../texts/en-playground.ts';
import { Choice } from './choice.tsx';
import { OUTSIDE_NODES, type OutsideName } from './pay-card.tsx';
import { useAmount } from './use-amount.ts';
import { useOutsidePayment } from './use-outside-payment.tsx';

/** Lets an outside node claim a withdraw link of the service. */
export function ClaimCard({ onPaid }: { onPaid: () => void }) {
  const [lnurl, setLnurl] = useState('');
  const { sats, isValid, field } = useAmount('');
  const [at, setAt] = useState<OutsideName>('alice');
  const claim = () => api.playground.claim({ lnurl: lnurl.trim(), at, ...(sats !== undefined && { num_satoshis: sats }) });
  const { run, isBusy, outcome } = useOutsidePayment(claim, onPaid);
  return (
    <Card title={playground.claimTitle} isPadded>
      <Form onSubmit={() => isValid && run()}>
        <TextAreaField
          label={playground.withdrawLink}
          hint={playground.withdrawLinkHint}
          class="mono"
          rows={2}
          required
          value={lnurl}
          onValue={setLnurl}
        />
        <TextField {...field} hint={playground.claimAmountHint} />
        <Choice label={playground.at} value={at} options={OUTSIDE_NODES} onChange={setAt} />
        {outcome}
        <div class="row">
          <Button type="submit" disabled={isBusy || lnurl.trim() === ''}>
            {playground.claim}
          </Button>
        </div>
      </Form>
    </Card>
  );
}
