import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { useAction } from '../../api/action.ts';
import { api, type Login, type Setup } from '../../api/client.ts';
import { setUpWithPasskey, whyNoPasskeys } from '../../api/passkey.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Note } from '../../parts/note.tsx';
import { setup } from '../../texts/en-setup.ts';
import { t } from '../../texts/texts.ts';
import { EntryPage } from '../login/entry-page.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import './setup.css';

export interface SetupScreenProps {
  readonly login: Login | null;
  readonly onLogin: (login: Login) => void;
}

/** Sets a passkey or a password with a setup link, then shows recovery codes. The token is behind `#`, which a browser does not send to the service. */
export function SetupScreen({ login: present, onLogin }: SetupScreenProps) {
  const [, navigate] = useLocation();
  const token = useToken();
  const [isDone, setIsDone] = useState(false);
  const toDashboard = () => navigate('/wallets', { replace: true });
  if (isDone) return <RecoveryCodes onDone={toDashboard} />;
  return (
    <LoginForm
      key={token}
      token={token}
      present={present}
      onSetUp={(login, isPasskey) => {
        onLogin(login);
        if (isPasskey) setIsDone(true);
        else toDashboard();
      }}
    />
  );
}

function useToken(): string {
  const [token, setToken] = useState(() => location.hash.slice(1));
  // Another setup link that is opened in the same tab changes only this part of the address.
  useEffect(() => {
    const read = () => setToken(location.hash.slice(1));
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  return token;
}

interface LoginFormProps {
  readonly token: string;
  readonly present: Login | null;
  readonly onSetUp: (login: Login, isPasskey: boolean) => void;
}

function LoginForm({ token, present, onSetUp }: LoginFormProps) {
  const why = whyNoPasskeys();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [isPassword, setIsPassword] = useState(why !== undefined);
  const [isTried, setIsTried] = useState(false);
  const [state, setState] = useState<Setup>();
  useEffect(() => void api.session.getSetup().then(setState, () => undefined), []);
  const link = { token, ...(email.trim() !== '' && { email: email.trim() }) };
  const { run, isBusy, error } = useAction(setUp, { endsWithSession: false });
  const isShort = isPassword && password.length < MIN_PASSWORD;
  const isBadEmail = email.trim() !== '' && !/^[^@\s]+@[^@\s]+$/.test(email.trim());

  async function setUp() {
    setIsTried(true);
    if (isBadEmail || isShort) return;
    const login = await (isPassword ? api.session.setUpLogin({ ...link, password }) : setUpWithPasskey(link));
    if (login) onSetUp(login, !isPassword);
  }

  return (
    <EntryPage title={setup.title} text={state?.has_login === false ? setup.operatorIntro : setup.intro} onSubmit={run}>
      {token === '' && <Note tone="warning">{setup.noToken}</Note>}
      {present && <Note tone="warning">{setup.otherLogin(present.account.email ?? present.account.id)}</Note>}
      {why !== undefined && <Note>{setup.unavailable[why]}</Note>}
      <TextField
        label={setup.email}
        hint={setup.emailHint}
        type="text"
        inputMode="email"
        autocomplete="username"
        value={email}
        onValue={setEmail}
        error={isTried && isBadEmail ? setup.emailMissing : undefined}
      />
      {isPassword && (
        <TextField
          label={setup.password}
          hint={t.settings.newPasswordHint}
          type="password"
          autocomplete="new-password"
          value={password}
          onValue={setPassword}
          error={isTried && isShort ? setup.passwordShort : undefined}
        />
      )}
      {error !== undefined && <Note tone="error">{error}</Note>}
      <Button kind="primary" size="big" type="submit" {...(!isPassword && { icon: 'key' as const })} disabled={isBusy || token === ''}>
        {isPassword ? setup.submit : setup.createPasskey}
      </Button>
      {!isPassword && <p class="tiny faint setup-hint">{setup.passkeyHint}</p>}
      {why === undefined && (
        <>
          <div class="entry-or tiny faint">{t.login.or}</div>
          <Button size="big" onClick={() => setIsPassword(!isPassword)}>
            {isPassword ? setup.usePasskey : setup.usePassword}
          </Button>
        </>
      )}
      <p class="tiny faint">{setup.once}</p>
    </EntryPage>
  );
}

const MIN_PASSWORD = 10;
