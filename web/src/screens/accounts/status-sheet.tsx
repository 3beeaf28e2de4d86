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

const STATES = ['active', 'receive_only', 'frozen', 'closing', 'closed'] as const;

type State = (typeof STATES)[number];

/** Changes what an account may do, with a reason. */
export function StatusSheet({ account, onChanged, onClose }: AccountSheetProps) {
  const choices = STATES.filter((state) => state !== account.status);
  const [status, setStatus] = useState<State>(account.status === 'active' ? 'receive_only' : 'active');
  const [reason, setReason] = useState('');
  const idempotent = useIdempotent();
  const { run, isBusy, error } = useAction(async () => {
    await idempotent((options) => clear(api.accounts.update(account.id, { status, reason: reason.trim() }, options)));
    onChanged();
    onClose();
  });
  return (
    <Sheet title={texts.stateTitle(nameOf(account))} onClose={onClose}>
      <Form onSubmit={run}>
        <fieldset class="states">
          <legend class="label">{texts.state}</legend>
          {choices.map((choice) => (
            <label key={choice} class="check">
              <input type="radio" name="state" checked={choice === status} onChange={() => setStatus(choice)} />
              <span>
                {texts.states[choice]?.name ?? choice}
                <span class="sub">{texts.states[choice]?.hint}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <p class="secondary">{texts.stateText}</p>
        <TextField label={texts.reason} hint={texts.reasonHint} required maxLength={500} value={reason} onValue={setReason} />
        {error !== undefined && <Note tone="error">{error}</Note>}
        <Button kind={status === 'active' ? 'primary' : 'danger'} size="big" type="submit" disabled={isBusy || reason.trim() === ''}>
          {texts.stateActions[status]}
        </Button>
      </Form>
    </Sheet>
  );
}
