import { useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { type Account, api } from '../../api/client.ts';
import { useIdempotent } from '../../api/use-idempotent.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Note } from '../../parts/note.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { accounts as texts } from '../../texts/en-accounts.ts';
import { nameOf } from './name-of.ts';
import { clear } from './requests.ts';

export interface AccountSheetProps {
  readonly account: Account;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/** Freezes or unfreezes an account, with a reason. */
export function StatusSheet({ account, status, onChanged, onClose }: AccountSheetProps & { readonly status: 'active' | 'frozen' }) {
  const [reason, setReason] = useState('');
  const idempotent = useIdempotent();
  const { run, isBusy, error } = useAction(async () => {
    await idempotent((options) => clear(api.accounts.update(account.id, { status, reason: reason.trim() }, options)));
    onChanged();
    onClose();
  });
  const isFreeze = status === 'frozen';
  return (
    <Sheet title={(isFreeze ? texts.freezeTitle : texts.unfreezeTitle)(nameOf(account))} onClose={onClose}>
      <Form onSubmit={run}>
        <p class="secondary">{isFreeze ? texts.freezeText : texts.unfreezeText}</p>
        <TextField label={texts.reason} hint={texts.reasonHint} required maxLength={500} value={reason} onValue={setReason} />
        {error !== undefined && <Note tone="error">{error}</Note>}
        <Button kind={isFreeze ? 'danger' : 'primary'} size="big" type="submit" disabled={isBusy || reason.trim() === ''}>
          {isFreeze ? texts.freezeAction : texts.unfreezeAction}
        </Button>
      </Form>
    </Sheet>
  );
}
