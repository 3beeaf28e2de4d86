import { useRef, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { useAction } from '../../api/action.ts';
import { api } from '../../api/client.ts';
import { newIdempotencyKey } from '../../api/idempotent.ts';
import { formatSats } from '../../parts/amount.tsx';
import { Button } from '../../parts/button.tsx';
import { parseSats, SatsField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Note } from '../../parts/note.tsx';
import { money } from '../../texts/en-money.ts';

/** Receives from a withdraw link: its service pays an invoice of the wallet, which is shown then. */
export function Pull({ walletId, text, blocked }: { walletId: string; text: string; blocked: string | undefined }) {
  const [, navigate] = useLocation();
  const [amount, setAmount] = useState('');
  const sats = parseSats(amount);
  const key = useRef({ sats: 0, key: '' });
  const pull = useAction(async (num_satoshis: number) => {
    // The request sent again after a lost response creates no second invoice.
    if (key.current.sats !== num_satoshis) key.current = { sats: num_satoshis, key: newIdempotencyKey() };
    const { id } = await api.wallets.pullLnurl(walletId, { lnurl: text, num_satoshis }, { idempotencyKey: key.current.key });
    navigate(`/wallets/${walletId}/receive/${id}`, { replace: true });
  });
  return (
    <Form class="send-fields" onSubmit={() => sats !== undefined && pull.run(sats)}>
      <SatsField
        label={money.send.pullAmount}
        value={amount}
        onValue={setAmount}
        error={amount.trim() !== '' && sats === undefined ? money.send.amountError : undefined}
      />
      {pull.error !== undefined && <Note tone="error">{pull.error}</Note>}
      {blocked !== undefined && <Note tone="warning">{blocked}</Note>}
      <Button type="submit" kind="primary" size="big" disabled={sats === undefined || pull.isBusy || blocked !== undefined}>
        {sats === undefined ? money.send.pull : money.send.pullSats(formatSats(sats))}
      </Button>
    </Form>
  );
}
