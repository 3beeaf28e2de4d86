import { useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { api, type NewKey } from '../../api/client.ts';
import { useIdempotent } from '../../api/use-idempotent.ts';
import { Button } from '../../parts/button.tsx';
import { parseSats, SelectField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
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
interface Draft {
  readonly walletId: string;
  readonly kind: string;
  readonly label: string;
  readonly budget: string;
  readonly period: string;
  readonly cap: string;
  readonly expiry: string;
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
  const canSend = draft.walletId === '' || draft.kind === 'wallet_admin';
  const [budgetError, capError] = [draft.budget, draft.cap].map((text) =>
    text !== '' && parseSats(text) === undefined ? t.keys.wholeSats : undefined,
  );

  return (
    <Sheet title={t.keys.newKey} onClose={onClose}>
      <Form onSubmit={() => budgetError === undefined && capError === undefined && run()}>
        <TextField label={t.keys.label} hint={t.keys.labelHint} maxLength={200} value={draft.label} onValue={set('label')} />
        <WalletSelect label={t.keys.for} none={t.keys.account} value={draft.walletId} onValue={set('walletId')} />
        {draft.walletId === '' ? (
          <p class="small secondary">{t.keys.accountKeyHint}</p>
        ) : (
          <SelectField label={t.keys.may} value={draft.kind} onValue={set('kind')} options={optionsOf(t.keys.walletKinds)} />
        )}
        {canSend && (
          <>
            <div class="columns two">
              <TextField
                label={t.keys.budgetSats}
                hint={t.keys.optional}
                error={budgetError}
                inputMode="numeric"
                value={draft.budget}
                onValue={set('budget')}
              />
              <SelectField label={t.keys.period} value={draft.period} onValue={set('period')} options={optionsOf(t.keys.periodNames)} />
            </div>
            <TextField
              label={t.keys.cap}
              hint={t.keys.capHint}
              error={capError}
              inputMode="numeric"
              value={draft.cap}
              onValue={set('cap')}
            />
          </>
        )}
        <SelectField label={t.keys.expires} value={draft.expiry} onValue={set('expiry')} options={optionsOf(t.keys.expiries)} />
        {error !== undefined && <Note tone="error">{error}</Note>}
        <Button kind="primary" size="big" type="submit" disabled={isBusy}>
          {t.keys.create}
        </Button>
      </Form>
    </Sheet>
  );
}

function create(draft: Draft, options: { idempotencyKey: string }): Promise<NewKey> {
  const { walletId, kind, label } = draft;
  const canSend = walletId === '' || kind === 'wallet_admin';
  const [budget, cap] = [parseSats(draft.budget), parseSats(draft.cap)];
  const body = {
    ...(label !== '' && { user_label: label }),
    // As a string, because object keys that look like numbers are sorted before ''.
    ...(draft.expiry.startsWith('d') && { expiry: Number(draft.expiry.slice(1)) * 86_400 }),
    ...(canSend &&
      budget !== undefined && { budget_msat: budget * 1000, budget_period: draft.period as 'day' | 'week' | 'month' | 'ever' }),
    ...(canSend && cap !== undefined && { max_payment_msat: cap * 1000 }),
  };
  if (walletId === '') return api.keys.create(body, options);
  return api.wallets.createKey(walletId, { kind: kind as 'wallet_admin' | 'wallet_invoice' | 'wallet_read', ...body }, options);
}
