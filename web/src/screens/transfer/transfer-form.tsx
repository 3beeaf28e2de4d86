import { useRef } from 'preact/hooks';
import { api, type Wallet } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import type { Attempt, Order, Summary } from '../../attempt/attempt.ts';
import { OpenAttempts } from '../../attempt/open-attempts.tsx';
import { Balance, formatSats } from '../../parts/amount.tsx';
import { type AmountDraft, AmountFields, readDraft } from '../../parts/amount-fields.tsx';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { LoadError } from '../../parts/loaded.tsx';
import { Note } from '../../parts/note.tsx';
import { money } from '../../texts/en-money.ts';
import { t } from '../../texts/texts.ts';
import '../send/send.css';
import './transfer.css';
import { ServiceFeeSum } from '../send/service-fee-sum.tsx';
import { useServiceFee, useWhenRead } from '../send/use-service-fee.ts';

export interface TransferDraft {
  readonly search: string;
  readonly destination: { readonly id: string; readonly label: string } | undefined;
  readonly amount: AmountDraft;
  readonly memo: string;
}

export interface TransferFormProps {
  readonly walletId: string;
  readonly wallet: Wallet | undefined;
  readonly draft: TransferDraft;
  readonly blocked: string | undefined;
  readonly onDraft: (draft: TransferDraft) => void;
  readonly open: readonly Attempt[];
  readonly onReview: (order: Order, summary: Summary) => void;
}

/** In bytes of UTF-8. */
const MAX_MEMO_BYTES = 639;

export function TransferForm({ walletId, wallet, draft, blocked, onDraft, open, onReview }: TransferFormProps) {
  const change = (changes: Partial<TransferDraft>) => onDraft({ ...draft, ...changes });
  const { sats, price, isInvalid } = readDraft(draft.amount);
  const service = useServiceFee(walletId, sats === undefined ? undefined : { num_msat: sats * 1000, direction: 'internal' });
  const isTooMuch = sats !== undefined && wallet !== undefined && sats > wallet.balance;
  const amountError = isTooMuch
    ? money.transfer.tooMuch(formatSats(wallet.balance))
    : sats !== undefined && wallet !== undefined && sats * 1000 + service.feeMsat > wallet.balance_msat
      ? money.transfer.feeTooHigh
      : isInvalid
        ? money.send.amountError
        : undefined;
  const memoError = new TextEncoder().encode(draft.memo).length > MAX_MEMO_BYTES ? money.receive.memoError : undefined;
  const { destination } = draft;
  const isReady = destination !== undefined && sats !== undefined && !amountError && !memoError && blocked === undefined;

  function review() {
    if (!isReady || sats === undefined || destination === undefined) return;
    const memo = draft.memo.trim();
    const fields = { key: walletId, dest_wallet_id: destination.id, ...(price ?? { num_satoshis: sats }), ...(memo !== '' && { memo }) };
    onReview(
      { operation: 'transfer', fields },
      { sats, price, feeLimitMsat: 0, serviceFeeMsat: service.feeMsat, to: destination.label, typed: destination.id },
    );
  }
  const { submit, isWaiting } = useWhenRead(service, JSON.stringify(draft), review);

  return (
    <Form class={isWaiting ? 'send waiting' : 'send'} onSubmit={submit}>
      <OpenAttempts attempts={open} />
      <WalletChoice walletId={walletId} draft={draft} onChange={change} />
      <AmountFields
        label={money.send.amount}
        draft={draft.amount}
        onDraft={(amount) => change({ amount })}
        error={amountError}
        hint={wallet && money.send.spendable(formatSats(wallet.balance))}
      />
      <TextField
        label={money.transfer.memo}
        value={draft.memo}
        onValue={(memo) => change({ memo })}
        error={memoError}
        hint={money.transfer.memoHint}
        autocomplete="off"
      />
      {sats !== undefined && <ServiceFeeSum amountMsat={sats * 1000} fee={service} isWaiting={isWaiting} isInside />}
      {blocked !== undefined && <Note tone="warning">{blocked}</Note>}
      <div class="end">
        <Button type="submit" kind="primary" size="big" disabled={!isReady || isWaiting}>
          {money.send.review}
        </Button>
      </div>
    </Form>
  );
}

const MAX_SHOWN = 6;

interface WalletChoiceProps {
  readonly walletId: string;
  readonly draft: TransferDraft;
  readonly onChange: (changes: Partial<TransferDraft>) => void;
}

/** Chooses another wallet of the account, by a part of its label or by its id. */
function WalletChoice({ walletId, draft, onChange }: WalletChoiceProps) {
  const search = draft.search.trim();
  const wallets = useResource(`wallets to choose ${search}`, (signal) => findWallets(search, signal));
  // The last list stays while the next one is loaded.
  const last = useRef<readonly Wallet[]>();
  last.current = wallets.data ?? last.current;
  const found = last.current?.filter(({ id }) => id !== walletId);
  const shown = found?.slice(0, MAX_SHOWN) ?? [];
  const { destination } = draft;
  const isChosenHidden = destination !== undefined && !shown.some(({ id }) => id === destination.id);
  const option = (id: string, label: string, balance?: number) => (
    <label class="wallet-option" key={id}>
      <input type="radio" name="destination" checked={id === destination?.id} onChange={() => onChange({ destination: { id, label } })} />
      <bdi class="shrink">{label}</bdi>
      <span class="push secondary">{balance !== undefined && <Balance sats={balance} unit />}</span>
    </label>
  );
  return (
    <fieldset class="wallet-choice">
      <legend>{money.transfer.to}</legend>
      <TextField
        label={money.transfer.search}
        type="search"
        autocomplete="off"
        autofocus
        value={draft.search}
        onValue={(value) => onChange({ search: value })}
      />
      {wallets.error !== undefined && <LoadError error={wallets.error} onRetry={wallets.reload} />}
      {isChosenHidden && option(destination.id, destination.label)}
      {shown.map(({ id, user_label, balance }) => option(id, user_label || t.wallets.unnamed, balance))}
      {found?.length === 0 && <p class="small secondary">{search === '' ? money.transfer.noOther : money.transfer.noMatch}</p>}
      {found !== undefined && found.length > MAX_SHOWN && <p class="tiny faint">{money.transfer.more}</p>}
    </fieldset>
  );
}

/** One more than is shown, and the wallet itself. */
async function findWallets(search: string, signal: AbortSignal): Promise<Wallet[]> {
  if (/^walx?_\w+$/.test(search)) return api.wallets.get(search, {}, { signal }).then((wallet) => [wallet]);
  return api.wallets.list({ 'per-page': MAX_SHOWN + 2, ...(search !== '' && { label: search }) }, { signal });
}
