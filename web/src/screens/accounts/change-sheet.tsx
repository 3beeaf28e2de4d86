import { useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { useAttempt } from '../../api/attempt.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Note } from '../../parts/note.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { t } from '../../texts/texts.ts';
import { nameOf, parseMaxWallets } from './name-of.ts';
import { clear, ROLES } from './requests.ts';
import type { AccountSheetProps } from './status-sheet.tsx';

/** Changes the role and the number of wallets that the account may have. */
export function ChangeSheet({ account, onChanged, onClose }: AccountSheetProps) {
  const [role, setRole] = useState<string>(account.role);
  const [maxWallets, setMaxWallets] = useState(account.max_wallets === 0 ? '' : String(account.max_wallets));
  const [reason, setReason] = useState('');
  const attempt = useAttempt();
  const limit = parseMaxWallets(maxWallets);
  const { run, isBusy, error } = useAction(async () => {
    const body = { id: account.id, role: role as 'member' | 'operator', max_wallets: limit ?? 0, reason: reason.trim() };
    await attempt((options) => clear(api.changeAccount(body, options)));
    onChanged();
    onClose();
  });
  return (
    <Sheet title={t.accounts.changeTitle(nameOf(account))} onClose={onClose}>
      <Form onSubmit={() => limit !== undefined && run()}>
        <SelectField label={t.accounts.role} hint={t.accounts.roleHint} value={role} onValue={setRole} options={ROLES} />
        <TextField
          label={t.accounts.maxWallets}
          hint={t.accounts.maxWalletsHint}
          error={limit === undefined ? t.accounts.maxWalletsError : undefined}
          inputMode="numeric"
          value={maxWallets}
          onValue={setMaxWallets}
        />
        <TextField label={t.accounts.reason} hint={t.accounts.reasonHint} maxLength={500} value={reason} onValue={setReason} />
        {error !== undefined && <Note tone="error">{error}</Note>}
        <Button kind="primary" size="big" type="submit" disabled={isBusy}>
          {t.accounts.save}
        </Button>
      </Form>
    </Sheet>
  );
}
