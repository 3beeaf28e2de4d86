import { useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { api } from '../../api/client.ts';
import { addPasskey, hasPasskeys } from '../../api/passkey.ts';
import { useResource } from '../../api/resource.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Note } from '../../parts/note.tsx';
import { t } from '../../texts/texts.ts';
import { CurrentPasswordField } from './current-password.tsx';
import { LoginList } from './login-list.tsx';

/** The passkeys of the login: list, add, remove. */
export function PasskeysCard({ hasPassword, hasCode }: { hasPassword: boolean; hasCode: boolean }) {
  const passkeys = useResource('passkeys', (signal) => api.session.listPasskeys({}, { signal }));
  const [isAdding, setIsAdding] = useState(false);
  return (
    <Card title={t.passkeys.title} isPadded>
      <div class="stack">
        <p class="small secondary">{t.passkeys.hint}</p>
        <LoginList logins={passkeys} texts={t.passkeys} remove={api.session.removePasskey} />
        {!hasPasskeys() && <p class="small secondary">{t.passkeys.unavailable}</p>}
        {hasPasskeys() && !isAdding && (
          <Button class="start" onClick={() => setIsAdding(true)}>
            {t.passkeys.add}
          </Button>
        )}
        {isAdding && (
          <AddPasskey
            hasPassword={hasPassword}
            hasCode={hasCode}
            onEnd={() => {
              setIsAdding(false);
              passkeys.reload();
            }}
          />
        )}
      </div>
    </Card>
  );
}

function AddPasskey({ hasPassword, hasCode, onEnd }: { hasPassword: boolean; hasCode: boolean; onEnd: () => void }) {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  // A wrong password is a 401 too, so it does not end the session.
  const { run, isBusy, error } = useAction(
    async () => {
      const added = await addPasskey({ ...(password !== '' && { current_password: password }), ...(code !== '' && { code }) }, name);
      if (added) onEnd();
    },
    { endsWithSession: false },
  );
  return (
    <Form class="stack narrow" onSubmit={run}>
      <TextField label={t.passkeys.name} hint={t.passkeys.nameHint} maxLength={100} value={name} onValue={setName} />
      {hasPassword && <CurrentPasswordField value={password} onValue={setPassword} />}
      {hasPassword && hasCode && <TextField label={t.login.code} autocomplete="one-time-code" required value={code} onValue={setCode} />}
      {error !== undefined && <Note tone="error">{error}</Note>}
      <Button type="submit" class="start" disabled={isBusy}>
        {t.passkeys.create}
      </Button>
    </Form>
  );
}
