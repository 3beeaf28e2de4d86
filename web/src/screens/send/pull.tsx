import { useRef, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { useAction } from '../../api/action.ts';
import { api } from '../../api/client.ts';
import { newIdempotencyKey } from '../../api/idempotent.ts';
import { formatSats } from '../../parts/amount.tsx';
import { AmountFields, NO_AMOUNT, readDraft } from '../../parts/amount-fields.tsx';
import { Button } from '../../parts/button.tsx';
import type { Price } from '../../parts/fiat-entry.tsx';
import { Form } from '../../parts/form.tsx';
import { Note } from '../../parts/note.tsx';
import { money } from '../../texts/en-money.ts';

/** Receives from a withdraw link: its service pays an invoice of the wallet, which is shown then. */
export function Pull({ walletId, text, blocked }: { walletId: string; text: string; blocked: string | undefined }) {
  const [, navigate] = useLocation();
  const [amount, setAmount] = useState(NO_AMOUNT);
  const { sats, price, isInvalid } = readDraft(amount);
  const key = useRef({ text: '', key: '' });
  const pull = useAction(async (fields: { num_satoshis: number } | Price) => {
    // The request sent again after a lost response creates no second invoice.
    const entered = JSON.stringify(fields);
    if (key.current.text !== entered) key.current = { text: entered, key: newIdempotencyKey() };
    const { id } = await api.wallets.pullLnurl(walletId, { lnurl: text, ...fields }, { idempotencyKey: key.current.key });
    navigate(`/wallets/${walletId}/receive/${id}`, { replace: true });
  });
  return (
    <Form class="send-fields" onSubmit={() => sats !== undefined && pull.run(price ?? { num_satoshis: sats })}>
      <AmountFields
        label={money.send.pullAmount}
        draft={amount}
        onDraft={setAmount}
        error={isInvalid ? money.send.amountError : undefined}
      />
      {pull.error !== undefined && <Note tone="error">{pull.error}</Note>}
      {blocked !== undefined && <Note tone="warning">{blocked}</Note>}
      <Button type="submit" kind="primary" size="big" disabled={sats === undefined || pull.isBusy || blocked !== undefined}>
        {sats === undefined || price ? money.send.pull : money.send.pullSats(formatSats(sats))}
      </Button>
    </Form>
  );
}
