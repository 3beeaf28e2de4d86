import { useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { type AccountNote, api } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useSession } from '../../api/session.tsx';
import { useIdempotent } from '../../api/use-idempotent.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { ConfirmSheet } from '../../parts/confirm-sheet.tsx';
import { TextAreaField } from '../../parts/field.tsx';
import { Foreign } from '../../parts/foreign.tsx';
import { Form } from '../../parts/form.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Note } from '../../parts/note.tsx';
import { Time } from '../../parts/time.tsx';
import { accounts as texts } from '../../texts/en-accounts.ts';

const SHOWN = 50;
const MAX_NOTE = 2000;

/** The notes of operators about an account, newest first. `onChanged` reloads the history, which records that one was added or deleted. */
export function CustomerNotes({ id, onChanged }: { readonly id: string; readonly onChanged: () => void }) {
  const notes = useResource(`account notes ${id}`, (signal) => api.accounts.listNotes(id, { 'per-page': SHOWN }, { signal }));
  const reload = () => {
    notes.reload();
    onChanged();
  };
  return (
    <Card title={texts.notes} isPadded>
      <div class="stack">
        <Loaded resource={notes}>
          {(list) =>
            list.length > 0 && (
              <ul class="customer-notes">
                {list.map((note) => (
                  <NoteItem key={note.id} note={note} onDeleted={reload} />
                ))}
              </ul>
            )
          }
        </Loaded>
        <NewNote id={id} onAdded={reload} />
      </div>
    </Card>
  );
}

function NoteItem({ note, onDeleted }: { readonly note: AccountNote; readonly onDeleted: () => void }) {
  const [isAsking, setIsAsking] = useState(false);
  const own = useSession().account.id;
  return (
    <li>
      <p class="customer-note">
        <Foreign text={note.note} />
      </p>
      <div class="row">
        <span class="small secondary">
          {note.author === own ? texts.you : note.author} · <Time at={note.created_at} />
        </span>
        <Button kind="quiet" size="small" class="push" onClick={() => setIsAsking(true)}>
          {texts.deleteNote}
        </Button>
      </div>
      {isAsking && (
        <ConfirmSheet
          title={texts.deleteNoteTitle}
          text={texts.deleteNoteText}
          action={texts.deleteNote}
          onConfirm={async (options) => {
            await api.accounts.deleteNote(note.account_id, note.id, {}, options);
            onDeleted();
          }}
          onClose={() => setIsAsking(false)}
        />
      )}
    </li>
  );
}

function NewNote({ id, onAdded }: { readonly id: string; readonly onAdded: () => void }) {
  const [text, setText] = useState('');
  const idempotent = useIdempotent();
  const { run, isBusy, error } = useAction(async () => {
    await idempotent((options) => api.accounts.addNote(id, { note: text.trim() }, options));
    setText('');
    onAdded();
  });
  return (
    <Form onSubmit={run}>
      <TextAreaField label={texts.newNote} hint={texts.newNoteHint} maxLength={MAX_NOTE} value={text} onValue={setText} />
      {error !== undefined && <Note tone="error">{error}</Note>}
      <Button type="submit" disabled={isBusy || text.trim() === ''}>
        {texts.addNote}
      </Button>
    </Form>
  );
}
