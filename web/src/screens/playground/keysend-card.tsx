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
import { Choice } from './choice.tsx';
import { Outcome } from './outcome.tsx';
import { OUTSIDE_NODES, type OutsideName } from './pay-card.tsx';

/** The record of a keysend that names the wallet. */
const WALLET_RECORD = '696969';

/** Lets an outside node send money without an invoice. */
export function KeysendCard({ onPaid }: { onPaid: () => void }) {
  const [walletId, setWalletId] = useState('');
  const [amount, setAmount] = useState('500');
  const [from, setFrom] = useState<OutsideName>('alice');
  const [paid, setPaid] = useState<OutsidePayment>();
  const sats = parseSats(amount);
  const amountError = amount !== '' && sats === undefined ? t.playground.wholeSats : undefined;
  const { run, isBusy, error } = useAction(async () => {
    if (sats === undefined) return;
    setPaid(undefined);
    try {
      const records = walletId === '' ? {} : { custom_records: { [WALLET_RECORD]: walletId } };
      setPaid(await api.playgroundKeysend({ num_satoshis: sats, from, ...records }));
    } finally {
      onPaid();
    }
  });
  return (
    <Card title={t.playground.keysendTitle} isPadded>
      <Form onSubmit={run}>
        <WalletSelect
          label={t.playground.wallet}
          hint={t.playground.keysendHint}
          none={t.playground.noWallet}
          value={walletId}
          onValue={setWalletId}
        />
        <TextField label={t.playground.amount} error={amountError} inputMode="numeric" value={amount} onValue={setAmount} />
        <Choice label={t.playground.from} value={from} options={OUTSIDE_NODES} onChange={setFrom} />
        {error !== undefined && <Note tone="error">{error}</Note>}
        <Outcome payment={paid} />
        <div class="row">
          <Button type="submit" disabled={isBusy || sats === undefined}>
            {t.playground.keysend(sats === undefined ? '' : formatSats(sats))}
          </Button>
        </div>
      </Form>
    </Card>
  );
}
