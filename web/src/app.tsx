import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { Router, useLocation } from 'wouter-preact';
import { api, isLoggedOut, type Login } from './api/client.ts';
import { receiveEvents } from './api/live.ts';
import { clearResources, reloadResources } from './api/resource.ts';
import { forgetSavedData, keepForReading } from './api/saved-data.ts';
import { onSessionEnd, SessionContext } from './api/session.tsx';
import { BASE_PATH, SERVICE_URL } from './base-path.ts';
import { ErrorBoundary } from './frame/error-boundary.tsx';
import { Frame } from './frame/frame.tsx';
import { Screens } from './frame/screens.tsx';
import { lazy } from './parts/lazy.tsx';
import { LoadError } from './parts/loaded.tsx';
import { LoginScreen } from './screens/login/login.tsx';

const SetupScreen = lazy(() => import('./screens/setup/setup.tsx').then((file) => file.SetupScreen));

/** `undefined`: not known yet. `null`: not logged in. */
type State = Login | null | undefined;

export function App() {
  const [login, setLogin] = useState<State>(undefined);
  const [hasEnded, setHasEnded] = useState(false);
  const [error, setError] = useState<unknown>();

  useEffect(() => {
    onSessionEnd((end) => {
      clearResources();
      void forgetSavedData();
      setHasEnded(end === 'expired');
      setLogin(null);
    });
    connect();
  }, []);

  function connect() {
    setError(undefined);
    api.session.get().then(setLogin, (reason) => (isLoggedOut(reason) ? setLogin(null) : setError(reason)));
  }

  // Before the effects of the screens, so that no event is missed between their requests and the question to other tabs.
  useLayoutEffect(() => {
    if (!login) return undefined;
    const own = new AbortController();
    receiveEvents(login.session?.id ?? '', own.signal);
    return () => own.abort();
  }, [login?.session?.id]);

  useAccountOfOtherTabs(login?.account.id);
  useEffect(() => {
    if (login) keepForReading(() => void api.session.get().then(reloadResources, () => undefined));
  }, [login !== undefined && login !== null]);
  useEffect(() => {
    // Only for those who have turned notifications on.
    if (login && localStorage.getItem('push')) import('./api/push.ts').then(({ renew }) => renew(login.account.id)).catch(() => undefined);
  }, [login?.session?.id]);

  function start(started: Login) {
    clearResources();
    void forgetSavedData();
    setHasEnded(false);
    setLogin(started);
  }

  if (error !== undefined || login === undefined) return <Connecting error={error} onRetry={connect} />;
  return (
    <Router base={BASE_PATH.replace(/\/$/, '')}>
      <Content login={login} hasEnded={hasEnded} onLogin={start} />
    </Router>
  );
}

function Content({ login, hasEnded, onLogin }: { login: Login | null; hasEnded: boolean; onLogin: (login: Login) => void }) {
  const [path, navigate] = useLocation();
  // A person who is logged in may open the setup link of another account.
  const isEntry = ['/', '/login'].includes(path) || (path === '/setup' && location.hash === '');
  useEffect(() => {
    if (login && isEntry) navigate('/wallets', { replace: true });
  }, [login, isEntry, navigate]);

  if (path === '/setup') return <SetupScreen login={login} onLogin={onLogin} />;
  if (!login)
    return (
      <ErrorBoundary place={path}>
        <LoginScreen hasEnded={hasEnded} onLogin={onLogin} />
      </ErrorBoundary>
    );
  return (
    <SessionContext.Provider value={login}>
      <Frame>
        <Screens />
      </Frame>
    </SessionContext.Provider>
  );
}

/** The tabs share the cookie of the session. When another tab has logged in to another account, this one must not go on under the old name. */
function useAccountOfOtherTabs(accountId: string | undefined): void {
  useEffect(() => {
    if (accountId === undefined) return undefined;
    const channel = new BroadcastChannel(`satchel account ${SERVICE_URL}`);
    channel.onmessage = ({ data }: MessageEvent<string>) => data !== accountId && location.reload();
    channel.postMessage(accountId);
    return () => channel.close();
  }, [accountId]);
}

/** Before the service has responded for the first time. */
function Connecting({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  if (error === undefined) return null;
  return (
    <main class="content">
      <LoadError error={error} onRetry={onRetry} />
    </main>
  );
}
