import { useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { formatSats } from '../../parts/amount.tsx';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { WalletSelect } from '../../parts/wallet-select.tsx';
import { playground } from '../../texts/en-playground.ts';
import { useAmount } from './use-amount.ts';
import { useOutsidePayment } from './use-outside-payment.tsx';

/** Lets an outside node pay into a wallet. */
export function FundCard({ onPaid }: { onPaid: () => void }) {
  const [walletId, setWalletId] = useState('');
  const { sats, field } = useAmount('100000');
  const pay = () => api.playground.fund({ wallet_id: walletId, num_satoshis: sats ?? 0 });
  const { run, isBusy, outcome } = useOutsidePayment(pay, onPaid);
  return (
    <Card title={playground.fundTitle} isPadded>
      <Form onSubmit={() => sats !== undefined && run()}>
        <WalletSelect label={playground.wallet} value={walletId} onValue={setWalletId} />
        <TextField {...field} />
        {outcome}
        <div class="row">
          <Button type="submit" disabled={isBusy || walletId === '' || sats === undefined}>
            {playground.fund(sats === undefined ? '' : formatSats(sats))}
          </Button>
        </div>
      </Form>
    </Card>
  );
}
