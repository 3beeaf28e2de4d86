import { useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { t } from '../../texts/texts.ts';
import type { WalletSheetProps } from './sheets.tsx';

/** Changes the label of the wallet. The event of the change updates the screen. */
export function RenameSheet({ walletId, wallet, onClose }: WalletSheetProps) {
  const [label, setLabel] = useState<string>();
  const value = label ?? wallet?.user_label ?? '';
  const rename = useAction(async () => {
    await api.wallets.update(walletId, { user_label: value.trim() });
    onClose();
  });
  return (
    <Sheet title={t.wallet.rename} onClose={onClose}>
      <Form onSubmit={rename.run}>
        <TextField
          label={t.wallets.label}
          hint={t.wallets.labelHint}
          error={rename.error}
          value={value}
          onValue={setLabel}
          maxLength={255}
          autocomplete="off"
        />
        <Button type="submit" kind="primary" size="big" disabled={rename.isBusy || !wallet}>
          {t.wallet.renameAction}
        </Button>
      </Form>
    </Sheet>
  );
}
