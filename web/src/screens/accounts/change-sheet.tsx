import { useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { api } from '../../api/client.ts';
import { useIdempotent } from '../../api/use-idempotent.ts';
import { Button } from '../../parts/button.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Note } from '../../parts/note.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { accounts as texts } from '../../texts/en-accounts.ts';
import { nameOf, parseMaxWallets } from './name-of.ts';
import { clear, ROLES } from './requests.ts';
import type { AccountSheetProps } from './status-sheet.tsx';

/** Changes the role and the number of wallets that the account may have. */
export function ChangeSheet({ account, onChanged, onClose }: AccountSheetProps) {
  const [role, setRole] = useState<string>(account.role);
  const [maxWallets, setMaxWallets] = useState(account.max_wallets === 0 ? '' : String(account.max_wallets));
  const [reason, setReason] = useState('');
  const idempotent = useIdempotent();
  const limit = parseMaxWallets(maxWallets);
  const { run, isBusy, error } = useAction(async () => {
    const body = { role: role as 'member' | 'operator', max_wallets: limit ?? 0, reason: reason.trim() };
    await idempotent((options) => clear(api.accounts.update(account.id, body, options)));
    onChanged();
    onClose();
  });
  return (
    <Sheet title={texts.changeTitle(nameOf(account))} onClose={onClose}>
      <Form onSubmit={() => limit !== undefined && run()}>
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
        {error !== undefined && <Note tone="error">{error}</Note>}
        <Button kind="primary" size="big" type="submit" disabled={isBusy}>
          {texts.save}
        </Button>
      </Form>
    </Sheet>
  );
}
