import { useRef, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { useAction } from '../../api/action.ts';
import { api } from '../../api/client.ts';
import { newIdempotencyKey } from '../../api/idempotent.ts';
import { formatSats } from '../../parts/amount.tsx';
import { AmountFields, draftOfSats, readDraft } from '../../parts/amount-fields.tsx';
import { Button } from '../../parts/button.tsx';
import type { Price } from '../../parts/fiat-entry.tsx';
import { Form } from '../../parts/form.tsx';
import { Note } from '../../parts/note.tsx';
import { money } from '../../texts/en-money.ts';
import type { WithdrawOffer } from './offer.ts';
import { fixedPull } from './order.ts';

interface PullProps {
  readonly walletId: string;
  readonly walletName: string | undefined;
  readonly offer: WithdrawOffer;
  readonly blocked: string | undefined;
}

/** Receives from a withdraw link: its service pays an invoice of the wallet, which is shown then. The largest amount is filled in. */
export function Pull({ walletId, walletName, offer, blocked }: PullProps) {
  const [, navigate] = useLocation();
  const fixed = fixedPull(offer);
  const [least, most] = [Math.ceil(offer.link.minWithdrawable / 1000), Math.floor(offer.link.maxWithdrawable / 1000)];
  const [amount, setAmount] = useState(draftOfSats(most));
  const { sats, price, isInvalid } = readDraft(amount);
  const isOutside = sats !== undefined && (sats < least || sats > most);
  const key = useRef({ text: '', key: '' });
  const pull = useAction(async (fields: { num_satoshis: number } | Price) => {
    // The request sent again after a lost response creates no second invoice.
    const entered = JSON.stringify(fields);
    if (key.current.text !== entered) key.current = { text: entered, key: newIdempotencyKey() };
    const { id } = await api.wallets.pullLnurl(walletId, { lnurl: offer.text, ...fields }, { idempotencyKey: key.current.key });
    navigate(`/wallets/${walletId}/receive/${id}`, { replace: true });
  });
  return (
    <Form class="send-fields" onSubmit={() => sats !== undefined && !isOutside && pull.run(price ?? { num_satoshis: sats })}>
      {fixed === undefined && (
        <AmountFields
          label={money.send.pullAmount}
          draft={amount}
          onDraft={setAmount}
          hint={money.send.pays(formatSats(least), formatSats(most))}
          error={isInvalid ? money.send.amountError : isOutside ? money.send.pays(formatSats(least), formatSats(most)) : undefined}
        />
      )}
      {sats !== undefined && !isOutside && sats < most && <Note tone="warning">{money.send.pullsLess(formatSats(most - sats))}</Note>}
      {walletName && (
        <p class="small secondary">
          {money.send.into} <bdi>{walletName}</bdi>
        </p>
      )}
      {pull.error !== undefined && <Note tone="error">{pull.error}</Note>}
      {blocked !== undefined && <Note tone="warning">{blocked}</Note>}
      <Button type="submit" kind="primary" size="big" disabled={sats === undefined || isOutside || pull.isBusy || blocked !== undefined}>
        {sats === undefined || price ? money.send.pull : money.send.pullSats(formatSats(sats))}
      </Button>
    </Form>
  );
}
