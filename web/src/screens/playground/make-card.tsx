import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { useAction } from '../../api/action.ts';
import { api, type OutsideInvoice } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { CopyText } from '../../parts/copy.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Note } from '../../parts/note.tsx';
import { optionsOf } from '../../parts/options.ts';
import { WalletSelect } from '../../parts/wallet-select.tsx';
import { playground } from '../../texts/en-playground.ts';
import { handToSend } from '../send/pasted-text.ts';
import { Choice } from './choice.tsx';
import type { OutsideName } from './pay-card.tsx';
import { useAmount } from './use-amount.ts';

const NODES = optionsOf({}, ['alice', 'carol'] as const);
const RECEIVERS = optionsOf(playground.receivers, ['takes', 'holds'] as const);

/** Creates an invoice of an outside node, which one of the wallets can pay. */
export function MakeCard() {
  const { sats, isValid, field } = useAmount('1000');
  const [memo, setMemo] = useState('');
  const [at, setAt] = useState<OutsideName>('carol');
  const [receiver, setReceiver] = useState<'takes' | 'holds'>('takes');
  const [made, setMade] = useState<OutsideInvoice>();
  const { run, isBusy, error } = useAction(async () => {
    setMade(undefined);
    const text = { ...(sats !== undefined && { num_satoshis: sats }), ...(memo !== '' && { memo }) };
    setMade(await api.playground.createInvoice({ ...text, at, hold: receiver === 'holds' }));
  });
  return (
    <Card title={playground.makeTitle} isPadded>
      <Form onSubmit={() => isValid && run()}>
        <div class="columns two">
          <TextField {...field} hint={playground.anyAmountHint} />
          <SelectField label={playground.at} value={at} options={NODES} onValue={(value) => setAt(value as OutsideName)} />
        </div>
        <TextField label={playground.memo} value={memo} onValue={setMemo} autocomplete="off" />
        <Choice label={playground.receiver} value={receiver} options={RECEIVERS} onChange={setReceiver} />
        {receiver === 'holds' && <p class="small secondary">{playground.holdHint}</p>}
        {error !== undefined && <Note tone="error">{error}</Note>}
        <div class="row">
          <Button type="submit" disabled={isBusy}>
            {playground.make}
          </Button>
        </div>
      </Form>
      {made && <MadeInvoice invoice={made.payment_request} />}
    </Card>
  );
}

function MadeInvoice({ invoice }: { invoice: string }) {
  const [, navigate] = useLocation();
  const [walletId, setWalletId] = useState('');
  return (
    <section class="stack made" aria-label={playground.made}>
      <CopyText text={invoice} label={playground.copyInvoice} />
      <div class="row made-send">
        <WalletSelect label={playground.sendFrom} value={walletId} onValue={setWalletId} />
        <Button
          disabled={walletId === ''}
          onClick={() => {
            handToSend(invoice);
            navigate(`/wallets/${walletId}/send`);
          }}
        >
          {playground.openInSend}
        </Button>
      </div>
    </section>
  );
}
