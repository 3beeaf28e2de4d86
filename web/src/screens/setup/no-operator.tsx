import type { Setup } from '../../api/client.ts';
import { CopyText } from '../../parts/copy.tsx';
import { Note } from '../../parts/note.tsx';
import { setup } from '../../texts/en-setup.ts';
import { EntryPage } from '../login/entry-page.tsx';

/** The page before the set-up: where the setup link is. */
export function NoOperator({ state }: { state: Setup }) {
  return (
    <EntryPage title={setup.noOperator} text={setup.openLink} onSubmit={() => undefined}>
      <div class="stack">
        <span class="label">{setup.inDataFolder}</span>
        <CopyText text="cat data/setup-link" label={setup.copyCommand} />
      </div>
      <div class="stack">
        <span class="label">{setup.newLink}</span>
        <CopyText text="bin/satchel login-link acc_…" label={setup.copySecondCommand} />
      </div>
      {state.has_playground && <Note>{setup.playground}</Note>}
    </EntryPage>
  );
}
