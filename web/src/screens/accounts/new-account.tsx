import { useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { type Account, api } from '../../api/client.ts';
import { useIdempotent } from '../../api/use-idempotent.ts';
import { Button } from '../../parts/button.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Note } from '../../parts/note.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { accounts as texts } from '../../texts/en-accounts.ts';
import { parseMaxWallets } from './name-of.ts';
import { clear, ROLES } from './requests.ts';

export interface NewAccountSheetProps {
  /** Receives the setup link, which no later response contains. */
  readonly onCreated: (account: Account, setupUrl: string) => void;
  readonly onClose: () => void;
}

/** Creates an account with a setup link. A second click repeats the request and creates no second account. */
export function NewAccountSheet({ onCreated, onClose }: NewAccountSheetProps) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState('member');
  const [maxWallets, setMaxWallets] = useState('');
  const [reason, setReason] = useState('');
  const idempotent = useIdempotent();
  const limit = parseMaxWallets(maxWallets);
  const { run, isBusy, error } = useAction(async () => {
    const texts = { ...(email.trim() !== '' && { email: email.trim() }), ...(reason.trim() !== '' && { reason: reason.trim() }) };
    const body = { invite: true, role: role as 'member' | 'operator', max_wallets: limit ?? 0, ...texts };
    const account = await idempotent((options) => clear(api.accounts.create(body, options)));
    onCreated(account, account.setup_url ?? '');
    onClose();
  });
  return (
    <Sheet title={texts.newAccount} onClose={onClose}>
      <Form onSubmit={() => limit !== undefined && run()}>
        <TextField
          label={texts.email}
          hint={texts.emailHint}
          type="email"
          autocomplete="off"
          maxLength={254}
          value={email}
          onValue={setEmail}
        />
        <SelectField label={texts.role} hint={texts.roleHint} value={role} onValue={setRole} options={ROLES} />
        <TextField
          label={texts.maxWallets}
          hint={texts.maxWalletsHint}
          error={limit === undefined ? texts.maxWalletsError : undefined}
          inputMode="numeric"
          value={maxWallets}
          onValue={setMaxWallets}
        />
        <TextField label={texts.reason} hint={texts.reasonHint} maxLength={500} value={reason} onValue={setReason} />
        <p class="small secondary">{texts.inviteText}</p>
        {error !== undefined && <Note tone="error">{error}</Note>}
        <Button kind="primary" size="big" type="submit" disabled={isBusy}>
          {texts.create}
        </Button>
      </Form>
    </Sheet>
  );
}
