import { useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import type { NewKey } from '../../api/client.ts';
import { useIdempotent } from '../../api/use-idempotent.ts';
import { Button } from '../../parts/button.tsx';
import { SelectField } from '../../parts/field.tsx';
import { Note } from '../../parts/note.tsx';
import { optionsOf } from '../../parts/options.ts';
import { Sheet } from '../../parts/sheet.tsx';
import { t } from '../../texts/texts.ts';

export interface RotateSheetProps {
  readonly name: string;
  readonly rotate: (overlapSeconds: number, options: { idempotencyKey: string }) => Promise<NewKey>;
  readonly onCreated: (key: NewKey) => void;
  readonly onClose: () => void;
}

/** Replaces a key by a new one with the same rights. A second click repeats the request and creates no second key. */
export function RotateSheet({ name, rotate, onCreated, onClose }: RotateSheetProps) {
  const [overlap, setOverlap] = useState('3600');
  const idempotent = useIdempotent();
  const { run, isBusy, error } = useAction(async () => {
    onCreated(await idempotent((options) => rotate(Number(overlap), options)));
    onClose();
  });
  return (
    <Sheet title={t.keys.rotateTitle(name)} onClose={onClose}>
      <p class="secondary">{t.keys.rotateText}</p>
      <SelectField label={t.keys.overlap} value={overlap} onValue={setOverlap} options={optionsOf(t.keys.overlaps)} />
      {error !== undefined && <Note tone="error">{error}</Note>}
      <Button kind="primary" size="big" disabled={isBusy} onClick={() => run()}>
        {t.keys.rotate}
      </Button>
    </Sheet>
  );
}
