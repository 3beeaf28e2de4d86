import { useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { api, type NewKey } from '../../api/client.ts';
import { useIdempotent } from '../../api/use-idempotent.ts';
import { Button } from '../../parts/button.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { areLimitsValid, type LimitDraft, LimitFields, limitOrder } from '../../parts/limit-fields.tsx';
import { Note } from '../../parts/note.tsx';
import { optionsOf } from '../../parts/options.ts';
import { Sheet } from '../../parts/sheet.tsx';
import { WalletSelect } from '../../parts/wallet-select.tsx';
import { t } from '../../texts/texts.ts';

export interface NewKeySheetProps {
  /** The wallet that is chosen at first; empty for the account. */
  readonly walletId: string;
  readonly onCreated: (key: NewKey) => void;
  readonly onClose: () => void;
}

/** The fields of the sheet, as the person typed them. */
interface Draft extends LimitDraft {
  readonly walletId: string;
  readonly kind: string;
  readonly label: string;
}

const EMPTY = { kind: 'wallet_admin', label: '', budget: '', period: 'day', cap: '', expiry: '' };

/** Creates a key. A second click repeats the request and creates no second key. */
export function NewKeySheet({ walletId, onCreated, onClose }: NewKeySheetProps) {
  const [draft, setDraft] = useState<Draft>({ ...EMPTY, walletId });
  const idempotent = useIdempotent();
  const { run, isBusy, error } = useAction(async () => {
    onCreated(await idempotent((options) => create(draft, options)));
    onClose();
  });
  const set = (name: keyof Draft) => (value: string) => setDraft({ ...draft, [name]: value });
  const canSend = canKeySend(draft);

  return (
    <Sheet title={t.keys.newKey} onClose={onClose}>
      <Form onSubmit={() => areLimitsValid(draft, canSend) && run()}>
        <TextField label={t.keys.label} hint={t.keys.labelHint} maxLength={200} value={draft.label} onValue={set('label')} />
        <WalletSelect label={t.keys.for} none={t.keys.account} value={draft.walletId} onValue={set('walletId')} />
        {draft.walletId === '' ? (
          <p class="small secondary">{t.keys.accountKeyHint}</p>
        ) : (
          <SelectField label={t.keys.may} value={draft.kind} onValue={set('kind')} options={optionsOf(t.keys.walletKinds)} />
        )}
        <LimitFields draft={draft} onDraft={setDraft} canSend={canSend} />
        {error !== undefined && <Note tone="error">{error}</Note>}
        <Button kind="primary" size="big" type="submit" disabled={isBusy}>
          {t.keys.create}
        </Button>
      </Form>
    </Sheet>
  );
}

function canKeySend({ walletId, kind }: Draft): boolean {
  return walletId === '' || kind === 'wallet_admin';
}

function create(draft: Draft, options: { idempotencyKey: string }): Promise<NewKey> {
  const { walletId, kind, label } = draft;
  const body = { ...(label !== '' && { user_label: label }), ...limitOrder(draft, canKeySend(draft)) };
  if (walletId === '') return api.keys.create(body, options);
  return api.wallets.createKey(walletId, { kind: kind as 'wallet_admin' | 'wallet_invoice' | 'wallet_read', ...body }, options);
}
