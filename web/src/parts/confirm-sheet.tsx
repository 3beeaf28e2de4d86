import type { ComponentChildren } from 'preact';
import { useAction } from '../api/action.ts';
import { useIdempotent } from '../api/use-idempotent.ts';
import { Button } from './button.tsx';
import { Note } from './note.tsx';
import { Sheet } from './sheet.tsx';

export interface ConfirmSheetProps {
  readonly title: string;
  readonly text: ComponentChildren;
  /** The name of the button: what happens. */
  readonly action: string;
  readonly tone?: 'primary' | 'danger';
  /** Sends the request, with its Idempotency-Key. The sheet closes when it succeeds, and shows why it failed. */
  readonly onConfirm: (options: { idempotencyKey: string }) => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks before something that cannot be undone. */
export function ConfirmSheet({ title, text, action, tone = 'danger', onConfirm, onClose }: ConfirmSheetProps) {
  const idempotent = useIdempotent();
  const { run, isBusy, error } = useAction(async () => {
    await idempotent(onConfirm);
    onClose();
  });
  return (
    <Sheet title={title} onClose={onClose}>
      <div class="secondary">{text}</div>
      {error !== undefined && <Note tone="error">{error}</Note>}
      <Button kind={tone} size="big" disabled={isBusy} onClick={() => run()}>
        {action}
      </Button>
    </Sheet>
  );
}
