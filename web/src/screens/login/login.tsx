import { useEffect, useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { api, type Login, SatchelError, type Setup } from '../../api/client.ts';
import { hasPasskeys, logInWithPasskey } from '../../api/passkey.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { lazy } from '../../parts/lazy.tsx';
import { Note } from '../../parts/note.tsx';
import { t } from '../../texts/texts.ts';
import { EntryPage } from './entry-page.tsx';

const NoOperator = lazy(() => import('../setup/no-operator.tsx').then((file) => file.NoOperator));
const RecoveryLogin = lazy(() => import('./recovery-login.tsx').then((file) => file.RecoveryLoginScreen));
const WalletLogin = lazy(() => import('./wallet-login.tsx').then((file) => file.WalletLoginScreen));

export interface LoginScreenProps {
  /** Whether a session ended while the dashboard was open. */
  readonly hasEnded: boolean;
  readonly onLogin: (login: Login) => void;
}

/** Logs in with e-mail and password, and a code if the account has a second step. The address stays, so the person continues there. */
export function LoginScreen({ hasEnded, onLogin }: LoginScreenProps) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [needsCode, setNeedsCode] = useState(false);
  const [isWalletLogin, setIsWalletLogin] = useState(false);
  const [isRecovery, setIsRecovery] = useState(false);
  const [setup, setSetup] = useState<Setup>();
  useEffect(() => void api.session.getSetup().then(setSetup, () => undefined), []);
  const { run, isBusy, error } = useAction(logIn, { endsWithSession: false });

  async function logIn() {
    try {
      onLogin(await api.session.logIn({ email, password, ...(needsCode && { code }) }));
    } catch (reason) {
      if (!(reason instanceof SatchelError && reason.type === 'code_required')) throw reason;
      setNeedsCode(true);
    }
  }

  const passkey = useAction(
    async () => {
      const login = await logInWithPasskey();
      if (login) onLogin(login);
    },
    { endsWithSession: false },
  );

  const canPasskey = hasPasskeys();
  if (setup?.has_login === false) return <NoOperator state={setup} />;
  if (isRecovery) return <RecoveryLogin onLogin={onLogin} onBack={() => setIsRecovery(false)} />;
  if (isWalletLogin) return <WalletLogin onLogin={onLogin} onBack={() => setIsWalletLogin(false)} />;
  if (needsCode)
    return (
      <EntryPage title={t.login.codeTitle} text={t.login.codeHint} onSubmit={run}>
        <TextField label={t.login.code} autocomplete="one-time-code" required autofocus value={code} onValue={setCode} />
        {error !== undefined && <Note tone="error">{error}</Note>}
        <Button kind="primary" size="big" type="submit" disabled={isBusy}>
          {t.login.continue}
        </Button>
        <Button kind="quiet" onClick={() => setNeedsCode(false)}>
          {t.login.startOver}
        </Button>
        <p class="tiny faint">{t.login.lost}</p>
      </EntryPage>
    );
  return (
    <EntryPage title={t.login.welcome} text={location.host} onSubmit={run}>
      {hasEnded && <Note>{t.login.ended}</Note>}
      {canPasskey && (
        <>
          <Button kind="primary" size="big" icon="key" disabled={passkey.isBusy} onClick={() => passkey.run()}>
            {t.passkeys.logIn}
          </Button>
          {passkey.error !== undefined && <Note tone="error">{passkey.error}</Note>}
          <div class="entry-or tiny faint">{t.login.or}</div>
        </>
      )}
      <TextField label={t.login.email} type="email" autocomplete="username" required value={email} onValue={setEmail} />
      <TextField label={t.login.password} type="password" autocomplete="current-password" required value={password} onValue={setPassword} />
      {error !== undefined && <Note tone="error">{error}</Note>}
      <Button {...(!canPasskey && { kind: 'primary' as const })} size="big" type="submit" disabled={isBusy}>
        {t.login.logIn}
      </Button>
      <Button kind="quiet" icon="lightning" onClick={() => setIsWalletLogin(true)}>
        {t.walletLogins.logIn}
      </Button>
      <Button kind="quiet" onClick={() => setIsRecovery(true)}>
        {t.login.recovery}
      </Button>
      <p class="tiny faint">{t.login.noPassword}</p>
    </EntryPage>
  );
}
