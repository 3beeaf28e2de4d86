import { useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { useAttempt } from '../../api/attempt.ts';
import { type Account, api } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Note } from '../../parts/note.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { t } from '../../texts/texts.ts';
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
  const attempt = useAttempt();
  const { run, isBusy, error } = useAction(async () => {
    await attempt((options) => clear(api.changeAccount({ id: account.id, status, reason: reason.trim() }, options)));
    onChanged();
    onClose();
  });
  const isFreeze = status === 'frozen';
  return (
    <Sheet title={(isFreeze ? t.accounts.freezeTitle : t.accounts.unfreezeTitle)(nameOf(account))} onClose={onClose}>
      <Form onSubmit={run}>
        <p class="secondary">{isFreeze ? t.accounts.freezeText : t.accounts.unfreezeText}</p>
        <TextField label={t.accounts.reason} hint={t.accounts.reasonHint} required maxLength={500} value={reason} onValue={setReason} />
        {error !== undefined && <Note tone="error">{error}</Note>}
        <Button kind={isFreeze ? 'danger' : 'primary'} size="big" type="submit" disabled={isBusy || reason.trim() === ''}>
          {isFreeze ? t.accounts.freezeAction : t.accounts.unfreezeAction}
        </Button>
      </Form>
    </Sheet>
  );
}
