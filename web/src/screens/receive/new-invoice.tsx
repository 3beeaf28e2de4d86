import { useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { useAction } from '../../api/action.ts';
import { api, type CreateInvoiceRequest, type Wallet } from '../../api/client.ts';
import { newIdempotencyKey } from '../../api/idempotent.ts';
import { useResource } from '../../api/resource.ts';
import { useNodeState } from '../../api/service-state.ts';
import { AmountFields, NO_AMOUNT, readDraft } from '../../parts/amount-fields.tsx';
import { Button } from '../../parts/button.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Note } from '../../parts/note.tsx';
import { optionsOf } from '../../parts/options.ts';
import { money } from '../../texts/en-money.ts';

/** The limit of the service, in bytes of UTF-8. */
const MAX_MEMO_BYTES = 639;

const DEFAULT_EXPIRY = '86400';
const EXPIRIES = ['600', '3600', DEFAULT_EXPIRY, '604800'];

export interface NewInvoiceProps {
  readonly walletId: string;
  readonly wallet: Wallet | undefined;
  /** `receivableMsat`: what the node can receive now, if that is less than the amount. */
  readonly onCreated: (lntx: string, receivableMsat: number | null) => void;
}

export function NewInvoice({ walletId, wallet, onCreated }: NewInvoiceProps) {
  const [amount, setAmount] = useState(NO_AMOUNT);
  const [memo, setMemo] = useState('');
  const [expiry, setExpiry] = useState(DEFAULT_EXPIRY);
  const node = useNodeState(wallet?.ln_node_id);
  const create = useInvoiceRequest(walletId, onCreated);

  const { sats, price, isInvalid } = readDraft(amount);
  const amountError = isInvalid ? money.receive.amountError : undefined;
  const memoError = new TextEncoder().encode(memo).length > MAX_MEMO_BYTES ? money.receive.memoError : undefined;
  const isValid = amountError === undefined && memoError === undefined;

  function submit() {
    if (!isValid || node.reason !== undefined) return;
    create.run({
      ...(price ?? (sats !== undefined && { num_satoshis: sats })),
      ...(memo.trim() !== '' && { memo: memo.trim() }),
      expiry: Number(expiry),
    });
  }

  return (
    <Form class="receive" onSubmit={submit}>
      <AmountFields
        label={money.receive.amount}
        hint={money.receive.amountHint}
        error={amountError}
        draft={amount}
        onDraft={setAmount}
        autofocus
      />
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

/** Creates an invoice once: the form sent again after a lost response gets the same invoice. */
function useInvoiceRequest(walletId: string, onCreated: NewInvoiceProps['onCreated']) {
  const last = useRef({ text: '', key: '' });
  return useAction(async (request: CreateInvoiceRequest) => {
    const text = JSON.stringify(request);
    if (last.current.text !== text) last.current = { text, key: newIdempotencyKey() };
    const { id, receivable_msat } = await api.invoices.create(walletId, request, { idempotencyKey: last.current.key });
    onCreated(id, receivable_msat);
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
