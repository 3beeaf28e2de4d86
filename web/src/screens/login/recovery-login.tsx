import { useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { api, type Login } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Note } from '../../parts/note.tsx';
import { setup } from '../../texts/en-setup.ts';
import { EntryPage } from './entry-page.tsx';

/** Logs in with a recovery code, without a password or a passkey. */
export function RecoveryLoginScreen({ onLogin, onBack }: { onLogin: (login: Login) => void; onBack: () => void }) {
  const [email, setEmail] = useState('');
  const [code, setCode] = useState('');
  const [isTried, setIsTried] = useState(false);
  const { run, isBusy, error } = useAction(
    async () => {
      setIsTried(true);
      if (email.trim() !== '' && code.trim() !== '')
        onLogin(await api.session.logInWithRecoveryCode({ email: email.trim(), code: code.trim() }));
    },
    { endsWithSession: false },
  );
  return (
    <EntryPage title={setup.recoveryTitle} text={setup.recoveryText} onSubmit={run}>
      <TextField
        label={setup.email}
        inputMode="email"
        autocomplete="username"
        value={email}
        onValue={setEmail}
        error={isTried && email.trim() === '' ? setup.emailMissing : undefined}
      />
      <TextField
        label={setup.code}
        autocomplete="one-time-code"
        spellcheck={false}
        value={code}
        onValue={setCode}
        error={isTried && code.trim() === '' ? setup.codeMissing : undefined}
      />
      {error !== undefined && <Note tone="error">{error}</Note>}
      <Button kind="primary" size="big" type="submit" disabled={isBusy}>
        {setup.logIn}
      </Button>
      <Button kind="quiet" onClick={onBack}>
        {setup.back}
      </Button>
    </EntryPage>
  );
}
