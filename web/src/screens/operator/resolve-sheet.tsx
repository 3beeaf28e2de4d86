import { useState } from 'preact/hooks';
import { newAttemptId } from '../../api/attempt-id.ts';
import { api, isOutcomeUnknown, type OperatorPayment } from '../../api/client.ts';
import { TextField } from '../../parts/field.tsx';
import { Note } from '../../parts/note.tsx';
import { Segments } from '../../parts/segments.tsx';
import { t } from '../../texts/texts.ts';
import { ReasonSheet } from './reason-sheet.tsx';

const texts = t.operator.stuck;

export interface ResolveSheetProps {
  readonly payment: OperatorPayment;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/** Ends a payment by hand. The service checks the evidence once more and refuses without it; then nothing has changed. */
export function ResolveSheet({ payment, onChanged, onClose }: ResolveSheetProps) {
  const [outcome, setOutcome] = useState<'failed' | 'settled'>('failed');
  const [preimage, setPreimage] = useState('');
  const [attempt, setAttempt] = useState(newAttemptId);

  async function resolve(reason: string) {
    const body = { id: payment.id, outcome, reason, ...(outcome === 'settled' && { preimage }) };
    try {
      await api.resolvePayment(body, { idempotencyKey: attempt });
    } catch (error) {
      // A refusal changed nothing and would be replayed for the same key. An outcome that is unknown is repeated with its key.
      if (!isOutcomeUnknown(error)) setAttempt(newAttemptId());
      throw error;
    }
  }

  return (
    <ReasonSheet
      title={texts.resolveTitle}
      text={texts.resolveText}
      action={outcome === 'failed' ? texts.asFailed : texts.asSettled}
      tone="danger"
      isIncomplete={outcome === 'settled' && !/^[0-9a-f]{64}$/i.test(preimage)}
      run={resolve}
      onDone={onChanged}
      onClose={onClose}
    >
      <Segments
        label={texts.outcome}
        value={outcome}
        options={[
          { value: 'failed', label: t.statuses.failed ?? '' },
          { value: 'settled', label: t.statuses.settled ?? '' },
        ]}
        onChange={setOutcome}
      />
      {outcome === 'failed' && payment.evidence?.proves_failure !== true && <Note tone="warning">{texts.noProof}</Note>}
      {outcome === 'settled' && (
        <TextField label={texts.preimage} hint={texts.preimageHint} maxLength={64} class="mono" value={preimage} onValue={setPreimage} />
      )}
    </ReasonSheet>
  );
}
