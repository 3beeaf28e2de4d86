import { useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { api } from '../../api/client.ts';
import { useIdempotent } from '../../api/use-idempotent.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Note } from '../../parts/note.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { showToast } from '../../parts/toast.tsx';
import { t } from '../../texts/texts.ts';

export interface ReplaySheetProps {
  readonly webhookId: string;
  readonly onReplayed: () => void;
  readonly onClose: () => void;
}

/** Delivers the events of a period again. */
export function ReplaySheet({ webhookId, onReplayed, onClose }: ReplaySheetProps) {
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const idempotent = useIdempotent();
  const { run, isBusy, error } = useAction(async () => {
    await idempotent((options) => api.webhooks.replay(webhookId, { from: secondsOf(from), to: secondsOf(to) }, options));
    showToast(t.webhooks.replayed);
    onReplayed();
    onClose();
  });
  return (
    <Sheet title={t.webhooks.replay} onClose={onClose}>
      <Form onSubmit={run}>
        <p class="secondary">{t.webhooks.replayText}</p>
        <TextField label={t.webhooks.from} type="datetime-local" required value={from} onValue={setFrom} />
        <TextField label={t.webhooks.to} type="datetime-local" required value={to} onValue={setTo} />
        {error !== undefined && <Note tone="error">{error}</Note>}
        <Button kind="primary" size="big" type="submit" disabled={isBusy}>
          {t.webhooks.replay}
        </Button>
      </Form>
    </Sheet>
  );
}

/** The field has local time. */
function secondsOf(text: string): number {
  return Math.floor(new Date(text).getTime() / 1000);
}
