import { useState } from 'preact/hooks';
import { api, type OperatorPayment } from '../../api/client.ts';
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

  return (
    <ReasonSheet
      title={texts.resolveTitle}
      text={texts.resolveText}
      action={outcome === 'failed' ? texts.asFailed : texts.asSettled}
      tone="danger"
      isIncomplete={outcome === 'settled' && !/^[0-9a-f]{64}$/i.test(preimage)}
      run={(reason, options) =>
        api.operator.resolvePayment(payment.id, { outcome, reason, ...(outcome === 'settled' && { preimage }) }, options)
      }
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
