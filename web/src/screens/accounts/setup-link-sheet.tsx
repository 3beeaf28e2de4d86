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

export interface SetupLinkSheetProps {
  readonly account: Account;
  readonly onCreated: (url: string) => void;
  readonly onClose: () => void;
}

/** Creates a setup link. A second click repeats the request and gets the same link. */
export function SetupLinkSheet({ account, onCreated, onClose }: SetupLinkSheetProps) {
  const [reason, setReason] = useState('');
  const idempotent = useIdempotent();
  const { run, isBusy, error } = useAction(async () => {
    const body = reason.trim() === '' ? {} : { reason: reason.trim() };
    const link = await idempotent((options) => api.accounts.createSetupLink(account.id, { ...body }, options));
    onCreated(link.setup_url);
    onClose();
  });
  return (
    <Sheet title={texts.setupTitle(nameOf(account))} onClose={onClose}>
      <Form onSubmit={run}>
        <p class="secondary">{texts.setupText}</p>
        <TextField label={texts.reason} hint={texts.reasonHint} maxLength={500} value={reason} onValue={setReason} />
        {error !== undefined && <Note tone="error">{error}</Note>}
        <Button kind="primary" size="big" type="submit" disabled={isBusy}>
          {texts.createLink}
        </Button>
      </Form>
    </Sheet>
  );
}
