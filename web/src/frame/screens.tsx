import { Route, Switch, useLocation } from 'wouter-preact';
import { useSession } from '../api/session.tsx';
import { ROUTES } from '../routes.ts';
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
        {routes.map(({ path: key, sheets = [], Screen }) =>
          // All paths of a screen have the same key, which keeps the screen between them.
          [key, ...sheets].map((address) => (
            <Route key={key} path={address}>
              {(parameters) => <Screen {...parameters} />}
            </Route>
          )),
        )}
        <Route component={NotFoundScreen} />
      </Switch>
    </ErrorBoundary>
  );
}
