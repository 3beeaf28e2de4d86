import { useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { api, type OutsidePayment } from '../../api/client.ts';
import { formatSats } from '../../parts/amount.tsx';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { parseSats, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Note } from '../../parts/note.tsx';
import { WalletSelect } from '../../parts/wallet-select.tsx';
import { t } from '../../texts/texts.ts';
import { Outcome } from './outcome.tsx';

/** Lets an outside node pay into a wallet. */
export function FundCard({ onPaid }: { onPaid: () => void }) {
  const [walletId, setWalletId] = useState('');
  const [amount, setAmount] = useState('100000');
  const [paid, setPaid] = useState<OutsidePayment>();
  const sats = parseSats(amount);
  const amountError = amount !== '' && sats === undefined ? t.playground.wholeSats : undefined;
  const { run, isBusy, error } = useAction(async () => {
    if (sats === undefined) return;
    setPaid(undefined);
    try {
      setPaid(await api.playgroundFund({ wallet_id: walletId, num_satoshis: sats }));
    } finally {
      onPaid();
    }
  });
  return (
    <Card title={t.playground.fundTitle} isPadded>
      <Form onSubmit={run}>
        <WalletSelect label={t.playground.wallet} value={walletId} onValue={setWalletId} />
        <TextField label={t.playground.amount} error={amountError} inputMode="numeric" value={amount} onValue={setAmount} />
        {error !== undefined && <Note tone="error">{error}</Note>}
        <Outcome payment={paid} />
        <div class="row">
          <Button type="submit" disabled={isBusy || walletId === '' || sats === undefined}>
            {t.playground.fund(sats === undefined ? '' : formatSats(sats))}
          </Button>
        </div>
      </Form>
    </Card>
  );
}
