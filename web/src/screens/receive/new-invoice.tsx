import { useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { useAction } from '../../api/action.ts';
import { api, type CreateInvoiceRequest, type Wallet } from '../../api/client.ts';
import { newIdempotencyKey } from '../../api/idempotent.ts';
import { useResource } from '../../api/resource.ts';
import { useNodeState } from '../../api/service-state.ts';
import { Button } from '../../parts/button.tsx';
import type { FiatEntry, FiatEntryFieldProps } from '../../parts/fiat-entry.tsx';
import { parseSats, SatsField, SelectField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { lazy } from '../../parts/lazy.tsx';
import { Note } from '../../parts/note.tsx';
import { optionsOf } from '../../parts/options.ts';
import { useUnitSetting } from '../../parts/unit-setting.ts';
import { money } from '../../texts/en-money.ts';

/** Most people see no fiat values. If the code is gone after an update, amounts are entered in sats. */
const FiatEntryField = lazy<FiatEntryFieldProps>(() =>
  import('../../parts/fiat-entry.tsx').then(
    (file) => file.FiatEntryField,
    () => () => null,
  ),
);

/** The limit of the service, in bytes of UTF-8. */
const MAX_MEMO_BYTES = 639;

const DEFAULT_EXPIRY = '86400';
const EXPIRIES = ['600', '3600', DEFAULT_EXPIRY, '604800'];

export interface NewInvoiceProps {
  readonly walletId: string;
  readonly wallet: Wallet | undefined;
  readonly onCreated: (lntx: string) => void;
}

export function NewInvoice({ walletId, wallet, onCreated }: NewInvoiceProps) {
  const [amount, setAmount] = useState('');
  const fiat = useFiatEntry();
  const [memo, setMemo] = useState('');
  const [expiry, setExpiry] = useState(DEFAULT_EXPIRY);
  const unit = useUnitSetting();
  const node = useNodeState(wallet?.ln_node_id);
  const create = useInvoiceRequest(walletId, onCreated);

  const sats = parseSats(amount);
  const amountError = amount.trim() !== '' && sats === undefined ? money.receive.amountError : undefined;
  const memoError = new TextEncoder().encode(memo).length > MAX_MEMO_BYTES ? money.receive.memoError : undefined;
  const isValid = amountError === undefined && fiat.isValid && memoError === undefined;

  function submit() {
    if (!isValid || node.reason !== undefined) return;
    create.run({
      ...(sats !== undefined ? { num_satoshis: sats } : fiat.entry),
      ...(memo.trim() !== '' && { memo: memo.trim() }),
      expiry: Number(expiry),
    });
  }

  return (
    <Form class="receive" onSubmit={submit}>
      <SatsField
        label={money.receive.amount}
        hint={money.receive.amountHint}
        error={amountError}
        value={amount}
        onValue={(text) => {
          setAmount(text);
          fiat.clear();
        }}
        autofocus
      />
      {unit === 'fiat' && (
        <FiatEntryField
          key={fiat.key}
          label={money.receive.amount}
          onEntry={(entry, text) => {
            fiat.set(entry, text);
            setAmount('');
          }}
        />
      )}
      <TextField
        label={money.receive.memo}
        hint={money.receive.memoHint}
        error={memoError}
        value={memo}
        onValue={setMemo}
        autocomplete="off"
      />
      <SelectField label={money.receive.expires} value={expiry} onValue={setExpiry} options={optionsOf(money.receive.expiries, EXPIRIES)} />
      {node.reason !== undefined && <Note tone="warning">{node.reason}</Note>}
      {create.error !== undefined && <Note tone="error">{money.receive.notCreated(create.error)}</Note>}
      <div class="end stack">
        <Button type="submit" kind="primary" size="big" disabled={!isValid || create.isBusy || node.reason !== undefined}>
          {money.receive.create}
        </Button>
        <Address walletId={walletId} />
      </div>
    </Form>
  );
}

/** The amount in a currency that was entered. A number of sats replaces it. */
function useFiatEntry() {
  const [{ entry, text }, setState] = useState<{ entry?: FiatEntry; text: string }>({ text: '' });
  const [key, setKey] = useState(0);
  return {
    entry,
    isValid: text === '' || entry !== undefined,
    key,
    set: (entered: FiatEntry | undefined, typed: string) => setState({ ...(entered && { entry: entered }), text: typed }),
    clear() {
      if (text === '') return;
      setState({ text: '' });
      setKey(key + 1);
    },
  };
}

/** Creates an invoice once: the form sent again after a lost response gets the same invoice. */
function useInvoiceRequest(walletId: string, onCreated: (lntx: string) => void) {
  const last = useRef({ text: '', key: '' });
  return useAction(async (request: CreateInvoiceRequest) => {
    const text = JSON.stringify(request);
    if (last.current.text !== text) last.current = { text, key: newIdempotencyKey() };
    const { id } = await api.invoices.create(walletId, request, { idempotencyKey: last.current.key });
    onCreated(id);
  });
}

/** The Lightning address of the wallet, or its pay link. */
function Address({ walletId }: { walletId: string }) {
  const links = useResource(`pay links of ${walletId}`, (signal) => api.wallets.listPayLinks(walletId, { 'per-page': 100 }, { signal }));
  const active = links.data?.filter(({ statusType }) => statusType.name === 'lnurl_active') ?? [];
  const link = active.find(({ ln_address }) => ln_address !== null) ?? active.at(-1);
  if (!link) return null;
  return (
    <p class="tiny faint centered">
      {money.receive.orShow}{' '}
      <Link href={`/links/${link.id}`}>{link.ln_address ? <bdi>{link.ln_address}</bdi> : money.receive.payLink}</Link>
      {money.receive.neverExpires}
    </p>
  );
}
