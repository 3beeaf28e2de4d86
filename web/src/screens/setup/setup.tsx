import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { useAction } from '../../api/action.ts';
import { api, type Login } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Note } from '../../parts/note.tsx';
import { t } from '../../texts/texts.ts';
import { EntryPage } from '../login/entry-page.tsx';

/** Sets e-mail and password with a setup link. Its token is behind `#`, which a browser does not send to the service. */
export function SetupScreen({ login: present, onLogin }: { login: Login | null; onLogin: (login: Login) => void }) {
  const [, navigate] = useLocation();
  const [token, setToken] = useState(() => location.hash.slice(1));
  // Another setup link that is opened in the same tab changes only this part of the address.
  useEffect(() => {
    const read = () => setToken(location.hash.slice(1));
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { run, isBusy, error } = useAction(setUp, { endsWithSession: false });

  async function setUp() {
    const login = await api.session.setUpLogin({ token, ...(email !== '' && { email }), password });
    onLogin(login);
    navigate('/wallets', { replace: true });
  }

  return (
    <EntryPage title={t.setup.title} text={t.setup.intro} onSubmit={run}>
      {token === '' && <Note tone="warning">{t.setup.noToken}</Note>}
      {present && <Note tone="warning">{t.setup.otherLogin(present.account.email ?? present.account.id)}</Note>}
      <TextField label={t.setup.email} type="email" autocomplete="username" value={email} onValue={setEmail} />
      <TextField
        label={t.setup.password}
        hint={t.setup.passwordHint}
        type="password"
        autocomplete="new-password"
        required
        minLength={10}
        value={password}
        onValue={setPassword}
      />
      {error !== undefined && <Note tone="error">{error}</Note>}
      <Button kind="primary" size="big" type="submit" disabled={isBusy || token === ''}>
        {t.setup.submit}
      </Button>
      <p class="tiny faint">{t.setup.once}</p>
    </EntryPage>
  );
}
