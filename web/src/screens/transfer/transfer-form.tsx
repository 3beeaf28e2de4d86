import { api, pages, type Wallet } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import type { Attempt, Order, Summary } from '../../attempt/attempt.ts';
import { OpenAttempts } from '../../attempt/open-attempts.tsx';
import { formatSats, Sats } from '../../parts/amount.tsx';
import { Button } from '../../parts/button.tsx';
import { parseSats, SatsField, TextField } from '../../parts/field.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Note } from '../../parts/note.tsx';
import { t } from '../../texts/texts.ts';
import '../send/send.css';
import './transfer.css';

export interface TransferDraft {
  readonly search: string;
  readonly destination: { readonly id: string; readonly label: string } | undefined;
  readonly amount: string;
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
  const sats = parseSats(draft.amount);
  const isTooMuch = sats !== undefined && wallet !== undefined && sats > wallet.balance;
  const amountError = isTooMuch
    ? t.transfer.tooMuch(formatSats(wallet.balance))
    : draft.amount.trim() !== '' && sats === undefined
      ? t.send.amountError
      : undefined;
  const memoError = new TextEncoder().encode(draft.memo).length > MAX_MEMO_BYTES ? t.receive.memoError : undefined;
  const { destination } = draft;
  const isReady = destination !== undefined && sats !== undefined && !amountError && !memoError && blocked === undefined;

  function submit(event: Event) {
    event.preventDefault();
    if (!isReady || sats === undefined || destination === undefined) return;
    const memo = draft.memo.trim();
    const fields = { key: walletId, dest_wallet_id: destination.id, num_satoshis: sats, ...(memo !== '' && { memo }) };
    onReview({ operation: 'transfer', fields }, { sats, feeLimitMsat: 0, to: destination.label, typed: destination.id });
  }

  return (
    <form class="send" onSubmit={submit}>
      <OpenAttempts attempts={open} />
      <WalletChoice walletId={walletId} draft={draft} onChange={change} />
      <SatsField
        label={t.send.amount}
        value={draft.amount}
        onValue={(amount) => change({ amount })}
        error={amountError}
        hint={wallet && t.send.spendable(formatSats(wallet.balance))}
      />
      <TextField
        label={t.transfer.memo}
        value={draft.memo}
        onValue={(memo) => change({ memo })}
        error={memoError}
        hint={t.transfer.memoHint}
        autocomplete="off"
      />
      {blocked !== undefined && <Note tone="warning">{blocked}</Note>}
      <div class="end">
        <Button type="submit" kind="primary" size="big" disabled={!isReady}>
          {t.send.review}
        </Button>
      </div>
    </form>
  );
}

const MAX_SHOWN = 6;
const MAX_PAGES = 10;

interface WalletChoiceProps {
  readonly walletId: string;
  readonly draft: TransferDraft;
  readonly onChange: (changes: Partial<TransferDraft>) => void;
}

/** Chooses another wallet of the account, by its label or its id. */
function WalletChoice({ walletId, draft, onChange }: WalletChoiceProps) {
  const wallets = useResource('wallets to choose', (signal) => listWallets(signal));
  const search = draft.search.trim().toLowerCase();
  return (
    <fieldset class="wallet-choice">
      <legend>{t.transfer.to}</legend>
      <TextField
        label={t.transfer.search}
        type="search"
        autocomplete="off"
        autofocus
        value={draft.search}
        onValue={(value) => onChange({ search: value })}
      />
      <Loaded resource={wallets}>
        {(all) => {
          const others = all.filter(({ id }) => id !== walletId);
          const matching = others.filter(
            ({ id, user_label }) => search === '' || id === draft.search.trim() || user_label.toLowerCase().includes(search),
          );
          const chosen = others.find(({ id }) => id === draft.destination?.id);
          const shown = [...new Set([...(chosen ? [chosen] : []), ...matching])].slice(0, MAX_SHOWN);
          if (others.length === 0) return <p class="small secondary">{t.transfer.noOther}</p>;
          return (
            <>
              {shown.map((wallet) => (
                <label class="wallet-option" key={wallet.id}>
                  <input
                    type="radio"
                    name="destination"
                    checked={wallet.id === draft.destination?.id}
                    onChange={() => onChange({ destination: { id: wallet.id, label: wallet.user_label || t.wallets.unnamed } })}
                  />
                  <bdi class="shrink">{wallet.user_label || t.wallets.unnamed}</bdi>
                  <span class="push secondary">
                    <Sats sats={wallet.balance} />
                  </span>
                </label>
              ))}
              {matching.length === 0 && <p class="small secondary">{t.transfer.noMatch}</p>}
              {matching.length > shown.length && <p class="tiny faint">{t.transfer.more(matching.length - shown.length)}</p>}
            </>
          );
        }}
      </Loaded>
    </fieldset>
  );
}

async function listWallets(signal: AbortSignal): Promise<Wallet[]> {
  const all: Wallet[] = [];
  let count = 0;
  for await (const page of pages(api, 'listWallets', { 'per-page': 500 })) {
    signal.throwIfAborted();
    all.push(...page);
    if (++count === MAX_PAGES) break;
  }
  return all;
}
