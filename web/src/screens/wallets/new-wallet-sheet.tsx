import { useRef, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { useAction } from '../../api/action.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { t } from '../../texts/texts.ts';

/** Creates a wallet and opens it. Its first access keys are not shown: the wallet's page creates keys when they are needed. */
export function NewWalletSheet({ onClose }: { onClose: () => void }) {
  const [, navigate] = useLocation();
  const [label, setLabel] = useState('');
  /** One per opened sheet and label, so that a repeated click creates one wallet. */
  const attempt = useRef({ label: '', key: '' });
  const create = useAction(async () => {
    const user_label = label.trim();
    if (attempt.current.key === '' || attempt.current.label !== user_label)
      attempt.current = { label: user_label, key: crypto.getRandomValues(new Uint32Array(4)).join('-') };
    const { id } = await api.wallets.create({ user_label }, { idempotencyKey: attempt.current.key });
    navigate(`/wallets/${id}`, { replace: true });
  });
  return (
    <Sheet title={t.wallets.newWallet} onClose={onClose}>
      <Form onSubmit={create.run}>
        <TextField
          label={t.wallets.label}
          hint={t.wallets.labelHint}
          error={create.error}
          value={label}
          onValue={setLabel}
          maxLength={255}
          autocomplete="off"
        />
        <Button type="submit" kind="primary" size="big" disabled={create.isBusy}>
          {t.wallets.create}
        </Button>
      </Form>
    </Sheet>
  );
}
