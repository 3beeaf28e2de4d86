import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Route, Switch, useLocation } from 'wouter-preact';
import { useSession } from '../api/session.tsx';
import { ROUTES, type ScreenRoute } from '../routes.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { NotFoundScreen } from './not-found.tsx';

/** Shows the screen of the present address. */
export function Screens() {
  const { account } = useSession();
  const [path] = useLocation();
  const routes = ROUTES.filter(({ isForOperators }) => !isForOperators || account.role === 'operator');
  return (
    <ErrorBoundary place={path}>
      <Switch>
        {routes.map((route) =>
          // All paths of a screen have the same key, which keeps the screen between them.
          [route.path, ...(route.sheets ?? [])].map((address) => (
            <Route key={route.path} path={address}>
              {(parameters) => <LoadedScreen route={route} parameters={parameters} />}
            </Route>
          )),
        )}
        <Route component={NotFoundScreen} />
      </Switch>
    </ErrorBoundary>
  );
}

const loaded = new Map<ScreenRoute, ComponentType>();

/** Loads the code of a screen at its first use. */
function LoadedScreen({ route, parameters }: { route: ScreenRoute; parameters: object }) {
  const [, setLoaded] = useState(loaded.size);
  const [error, setError] = useState<unknown>();
  const Screen = loaded.get(route);
  useEffect(() => {
    if (Screen) return;
    route.load().then((component) => {
      loaded.set(route, component);
      setLoaded(loaded.size);
    }, setError);
  }, [route, Screen]);
  // After an update of the service, the files of the old version are gone.
  if (error !== undefined) throw error;
  return Screen ? <Screen {...parameters} /> : null;
}
