import { useEffect, useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { api } from '../../api/client.ts';
import { addPasskey } from '../../api/passkey.ts';
import { Button } from '../../parts/button.tsx';
import { CheckField } from '../../parts/field.tsx';
import { Note } from '../../parts/note.tsx';
import { setup } from '../../texts/en-setup.ts';
import { EntryPage } from '../login/entry-page.tsx';
import { Codes } from './codes.tsx';

/** The last step of a set-up with a passkey: codes for the case that the device is lost. */
export function RecoveryCodes({ onDone }: { onDone: () => void }) {
  const [codes, setCodes] = useState<readonly string[]>();
  const [isStored, setIsStored] = useState(false);
  const [isAdded, setIsAdded] = useState(false);
  const create = useAction(async () => setCodes((await api.session.createRecoveryCodes({})).recovery_codes));
  const second = useAction(async () => setIsAdded((await addPasskey({}, '')) !== undefined || isAdded), { endsWithSession: false });
  useEffect(() => void create.run(), []);
  return (
    <EntryPage title={setup.codesTitle} text={setup.codesText} onSubmit={() => isStored && onDone()}>
      {create.error !== undefined && (
        <>
          <Note tone="error">{create.error}</Note>
          <Button onClick={() => create.run()}>{setup.retry}</Button>
        </>
      )}
      {codes && <Codes codes={codes} />}
      <CheckField label={setup.codesStored} isChecked={isStored} onChange={setIsStored} />
      <Button kind="primary" size="big" type="submit" disabled={!isStored}>
        {setup.toDashboard}
      </Button>
      {second.error !== undefined && <Note tone="error">{second.error}</Note>}
      {isAdded ? (
        <p class="small secondary" role="status">
          {setup.secondAdded}
        </p>
      ) : (
        <Button kind="quiet" disabled={second.isBusy} onClick={() => second.run()}>
          {setup.secondPasskey}
        </Button>
      )}
    </EntryPage>
  );
}
