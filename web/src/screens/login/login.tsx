import { useState } from 'preact/hooks';
import { api, type Login, SatchelError } from '../../api/client.ts';
import { Logo } from '../../parts/logo.tsx';
import { t } from '../../texts/texts.ts';

export interface LoginScreenProps {
  /** Whether a session ended while the dashboard was open. */
  readonly hasEnded: boolean;
  readonly onLogin: (login: Login) => void;
}

export function LoginScreen({ hasEnded, onLogin }: LoginScreenProps) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [needsCode, setNeedsCode] = useState(false);
  const [error, setError] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    if (isBusy) return;
    setIsBusy(true);
    setError(undefined);
    try {
      onLogin(await api.logIn({ email, password, ...(needsCode && { code }) }));
    } catch (reason) {
      if (reason instanceof SatchelError && reason.type === 'code_required') setNeedsCode(true);
      else setError(reason instanceof SatchelError ? reason.message : t.login.unreachable);
    } finally {
      setIsBusy(false);
    }
  }

  return (
    <main class="login">
      <form onSubmit={submit}>
        <Logo size={36} />
        <h1>{needsCode ? t.login.codeTitle : t.login.welcome}</h1>
        {hasEnded && <p>{t.login.ended}</p>}
        {!needsCode && (
          <>
            <label>
              {t.login.email}
              <input type="email" autocomplete="username" required value={email} onInput={(event) => setEmail(event.currentTarget.value)} />
            </label>
            <label>
              {t.login.password}
              <input
                type="password"
                autocomplete="current-password"
                required
                value={password}
                onInput={(event) => setPassword(event.currentTarget.value)}
              />
            </label>
          </>
        )}
        {needsCode && (
          <label>
            {t.login.code}
            <input autocomplete="one-time-code" required value={code} onInput={(event) => setCode(event.currentTarget.value)} />
          </label>
        )}
        {error !== undefined && <p role="alert">{error}</p>}
        <button type="submit" class="button primary" disabled={isBusy}>
          {needsCode ? t.login.continue : t.login.logIn}
        </button>
      </form>
    </main>
  );
}
