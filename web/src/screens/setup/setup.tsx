import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { api, type Login, SatchelError } from '../../api/client.ts';
import { Logo } from '../../parts/logo.tsx';
import { t } from '../../texts/texts.ts';

/** Sets e-mail and password with a setup link. Its token is behind `#`, which a browser does not send to the service. */
export function SetupScreen({ onLogin }: { onLogin: (login: Login) => void }) {
  const [, navigate] = useLocation();
  const [token] = useState(() => location.hash.slice(1));
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [error, setError] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    if (isBusy) return;
    setIsBusy(true);
    setError(undefined);
    try {
      const login = await api.setUpLogin({ token, ...(email !== '' && { email }), password });
      navigate('/wallets', { replace: true });
      onLogin(login);
    } catch (reason) {
      setError(reason instanceof SatchelError ? reason.message : t.login.unreachable);
    } finally {
      setIsBusy(false);
    }
  }

  return (
    <main class="login">
      <form onSubmit={submit}>
        <Logo size={36} />
        <h1>{t.setup.title}</h1>
        <p>{token === '' ? t.setup.noToken : t.setup.intro}</p>
        <label>
          {t.setup.email}
          <input type="email" autocomplete="username" value={email} onInput={(event) => setEmail(event.currentTarget.value)} />
        </label>
        <label>
          {t.setup.password}
          <input
            type="password"
            autocomplete="new-password"
            required
            minLength={10}
            value={password}
            onInput={(event) => setPassword(event.currentTarget.value)}
          />
          <small>{t.setup.passwordHint}</small>
        </label>
        {error !== undefined && <p role="alert">{error}</p>}
        <button type="submit" class="button primary" disabled={isBusy || token === ''}>
          {t.setup.submit}
        </button>
      </form>
    </main>
  );
}
