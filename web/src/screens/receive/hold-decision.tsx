import { useState } from 'preact/hooks';
import type { LightningTransactionDetails } from '../../../../client/satchel.js';
import { useAction } from '../../api/action.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Note } from '../../parts/note.tsx';
import { Time } from '../../parts/time.tsx';
import { money } from '../../texts/en-money.ts';

interface HoldDecisionProps {
  readonly invoice: Pick<LightningTransactionDetails, 'id' | 'held_until'>;
  readonly onDecided: () => void;
}

const PREIMAGE = /^[0-9a-f]{64}$/i;

/** Settles or cancels the payment that a hold invoice holds. Both may be repeated: the first decision counts. */
export function HoldDecision({ invoice: { id, held_until: until }, onDecided }: HoldDecisionProps) {
  const [preimage, setPreimage] = useState('');
  const decide = useAction(async (decision: 'settle' | 'cancel') => {
    const decided = decision === 'settle' ? api.invoices.settleHold(id, { preimage: preimage.trim() }) : api.invoices.cancelHold(id);
    await decided.finally(onDecided);
  });
  const isValid = PREIMAGE.test(preimage.trim());
  const error = preimage.trim() !== '' && !isValid ? money.receive.preimageError : undefined;
  return (
    <Form class="stack" onSubmit={() => isValid && decide.run('settle')}>
      <p class="small secondary">
        {money.receive.held}
        {until != null && (
          <>
            {' '}
            {money.receive.heldUntil} <Time at={until} />.
          </>
        )}
      </p>
      <TextField
        label={money.receive.preimage}
        hint={money.receive.preimageHint}
        error={error}
        value={preimage}
        onValue={setPreimage}
        autocomplete="off"
        spellcheck={false}
      />
      {decide.error !== undefined && <Note tone="error">{money.receive.notDecided(decide.error)}</Note>}
      <div class="pair">
        <Button type="submit" kind="primary" disabled={!isValid || decide.isBusy}>
          {money.receive.settle}
        </Button>
        <Button disabled={decide.isBusy} onClick={() => decide.run('cancel')}>
          {money.receive.sendBack}
        </Button>
      </div>
    </Form>
  );
}
