import { useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { formatSats } from '../../parts/amount.tsx';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { WalletSelect } from '../../parts/wallet-select.tsx';
import { playground } from '../../texts/en-playground.ts';
import { Choice } from './choice.tsx';
import { OUTSIDE_NODES, type OutsideName } from './pay-card.tsx';
import { useAmount } from './use-amount.ts';
import { useOutsidePayment } from './use-outside-payment.tsx';

/** The record of a keysend that names the wallet. */
const WALLET_RECORD = '696969';

/** Lets an outside node send money without an invoice. */
export function KeysendCard({ onPaid }: { onPaid: () => void }) {
  const [walletId, setWalletId] = useState('');
  const { sats, field } = useAmount('500');
  const [from, setFrom] = useState<OutsideName>('alice');
  const records = walletId === '' ? {} : { custom_records: { [WALLET_RECORD]: walletId } };
  const pay = () => api.playground.keysend({ num_satoshis: sats ?? 0, from, ...records });
  const { run, isBusy, outcome } = useOutsidePayment(pay, onPaid);
  return (
    <Card title={playground.keysendTitle} isPadded>
      <Form onSubmit={() => sats !== undefined && run()}>
        <WalletSelect
          label={playground.wallet}
          hint={playground.keysendHint}
          none={playground.noWallet}
          value={walletId}
          onValue={setWalletId}
        />
        <TextField {...field} />
        <Choice label={playground.from} value={from} options={OUTSIDE_NODES} onChange={setFrom} />
        {outcome}
        <div class="row">
          <Button type="submit" disabled={isBusy || sats === undefined}>
            {playground.keysend(sats === undefined ? '' : formatSats(sats))}
          </Button>
        </div>
      </Form>
    </Card>
  );
}
