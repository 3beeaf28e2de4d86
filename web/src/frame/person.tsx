import { useAction } from '../api/action.ts';
import { api } from '../api/client.ts';
import { endSession, useSession } from '../api/session.tsx';
import { Button } from '../parts/button.tsx';
import { t } from '../texts/texts.ts';

/** Who is logged in, and the button that ends the session. */
export function Person({ hasText = false }: { hasText?: boolean }) {
  const { account } = useSession();
  const name = account.email ?? account.id;
  return (
    <div class="person">
      <span class="initial" aria-hidden="true">
        {name.slice(0, 1).toUpperCase()}
      </span>
      <span class="clip">
        <b class="clip" title={name}>
          {name}
        </b>
        <small>{t.navigation.roles[account.role] ?? account.role}</small>
      </span>
      <LogOut hasText={hasText} />
    </div>
  );
}

function LogOut({ hasText }: { hasText: boolean }) {
  const { run, isBusy } = useAction(async () => {
    await api.session.logOut({});
    endSession('loggedOut');
  });
  const look = { size: 'small', icon: 'log-out', disabled: isBusy, onClick: () => run() } as const;
  return hasText ? <Button {...look}>{t.navigation.logOut}</Button> : <Button {...look} kind="quiet" label={t.navigation.logOut} />;
}
