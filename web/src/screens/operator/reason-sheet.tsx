import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { useIdempotent } from '../../api/use-idempotent.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Note } from '../../parts/note.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { t } from '../../texts/texts.ts';

export interface ReasonSheetProps {
  readonly title: string;
  readonly text: ComponentChildren;
  /** The name of the button. */
  readonly action: string;
  readonly tone?: 'primary' | 'danger';
  /** Further fields, above the reason. */
  readonly children?: ComponentChildren;
  readonly isIncomplete?: boolean;
  /** Of the field with the reason. */
  readonly label?: string;
  readonly hint?: string;
  /** Sends the request, with the reason that the record keeps and its Idempotency-Key. */
  readonly run: (reason: string, options: { idempotencyKey: string }) => Promise<unknown>;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Asks for the reason of an operator's action, which the ledger records with the person and the time. */
export function ReasonSheet({
  title,
  text,
  action,
  tone = 'primary',
  children,
  isIncomplete,
  label,
  hint,
  run,
  onDone,
  onClose,
}: ReasonSheetProps) {
  const [reason, setReason] = useState('');
  const [isPending, setIsPending] = useState(false);
  const idempotent = useIdempotent();
  const {
    run: submit,
    isBusy,
    error,
  } = useAction(async () => {
    const result = await idempotent((options) => run(reason, options));
    onDone();
    if (isPendingAction(result)) setIsPending(true);
    else onClose();
  });
  return (
    <Sheet title={title} onClose={onClose}>
      <Form onSubmit={submit}>
        <div class="secondary">{text}</div>
        {children}
        <TextField
          label={label ?? t.operator.reason}
          hint={hint ?? t.operator.reasonHint}
          required
          maxLength={500}
          value={reason}
          onValue={setReason}
        />
        {error !== undefined && <Note tone="error">{error}</Note>}
        {isPending && <Note tone="warning">{t.operator.inProgress}</Note>}
        <Button kind={tone} size="big" type="submit" disabled={isBusy || isPending || isIncomplete === true || reason === ''}>
          {action}
        </Button>
      </Form>
    </Sheet>
  );
}

/** The service still executes the action, such as a payment that returns money. */
function isPendingAction(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'status' in result && result.status === 'pending';
}
