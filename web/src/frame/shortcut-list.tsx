import { useSession } from '../api/session.tsx';
import { Details } from '../parts/details.tsx';
import { Sheet } from '../parts/sheet.tsx';
import { shortcuts as texts } from '../texts/en-shortcuts.ts';

/** The keys that work outside of fields. */
export function ShortcutList({ onClose }: { onClose: () => void }) {
  const { account } = useSession();
  const keys = account.role === 'operator' ? [...texts.keys, texts.operatorKeys] : texts.keys;
  return (
    <Sheet title={texts.title} onClose={onClose}>
      <Details entries={keys.map(([name, meaning]) => [name, meaning])} />
      <p class="small secondary">{texts.paste}</p>
    </Sheet>
  );
}
