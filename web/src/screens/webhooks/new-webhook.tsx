import { useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { api, type NewWebhook } from '../../api/client.ts';
import { useIdempotent } from '../../api/use-idempotent.ts';
import { Button } from '../../parts/button.tsx';
import { CheckField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Note } from '../../parts/note.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { WalletSelect } from '../../parts/wallet-select.tsx';
import { t } from '../../texts/texts.ts';

/** The events that a receiver usually wants. */
const EVENT_TYPES = [
  'wallet_receive',
  'wallet_send',
  'wallet_send_failure',
  'payment_pending',
  'wallet_transfer_in',
  'wallet_transfer_out',
  'invoice_expired',
  'invoice_held',
  'link_claimed',
  'payout_finished',
];

export interface NewWebhookSheetProps {
  readonly onCreated: (webhook: NewWebhook) => void;
  readonly onClose: () => void;
}

/** Adds an endpoint. A second click repeats the request and adds no second one. */
export function NewWebhookSheet({ onCreated, onClose }: NewWebhookSheetProps) {
  const [url, setUrl] = useState('');
  const [label, setLabel] = useState('');
  const [walletId, setWalletId] = useState('');
  const [types, setTypes] = useState<readonly string[]>([]);
  const idempotent = useIdempotent();
  const { run, isBusy, error } = useAction(async () => {
    const body = {
      url,
      ...(label !== '' && { user_label: label }),
      ...(walletId !== '' && { wallet_id: walletId }),
      ...(types.length > 0 && { event_types: [...types] }),
    };
    onCreated(await idempotent((options) => api.webhooks.create(body, options)));
    onClose();
  });
  const toggle = (type: string) => setTypes(types.includes(type) ? types.filter((one) => one !== type) : [...types, type]);
  return (
    <Sheet title={t.webhooks.add} onClose={onClose}>
      <Form onSubmit={run}>
        <TextField label={t.webhooks.url} type="url" required placeholder="https://" value={url} onValue={setUrl} />
        <TextField label={t.webhooks.label} maxLength={200} value={label} onValue={setLabel} />
        <WalletSelect label={t.webhooks.wallet} none={t.webhooks.allWallets} value={walletId} onValue={setWalletId} />
        <fieldset class="event-types">
          <legend class="small">{t.webhooks.eventsHint}</legend>
          {EVENT_TYPES.map((type) => (
            <CheckField key={type} label={type} isChecked={types.includes(type)} onChange={() => toggle(type)} />
          ))}
        </fieldset>
        {error !== undefined && <Note tone="error">{error}</Note>}
        <Button kind="primary" size="big" type="submit" disabled={isBusy}>
          {t.webhooks.add}
        </Button>
      </Form>
    </Sheet>
  );
}
