import { api } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { t } from '../../texts/texts.ts';
import { AppearanceCard } from './appearance.tsx';
import { AuthenticatorCard } from './authenticator.tsx';
import { LinkedWalletsCard } from './linked-wallets.tsx';
import { NotificationsCard } from './notifications.tsx';
import { PasskeysCard } from './passkeys.tsx';
import { PasswordCard } from './password.tsx';
import { RecoveryCodesCard } from './recovery-codes-card.tsx';
import { SessionsCard } from './sessions.tsx';

/** The settings of the browser and of the person's login. */
export function SettingsScreen() {
  const login = useResource('login', (signal) => api.session.get({}, { signal }));
  return (
    <>
      <PageHead title={t.settings.title} />
      <AppearanceCard />
      <NotificationsCard hasOthers />
      <Loaded resource={login} skeleton={<Skeleton height="160px" />}>
        {({ account, recovery_codes_left: codesLeft }) => (
          <>
            <PasswordCard hasPassword={account.has_password} email={account.email} />
            <PasskeysCard hasPassword={account.has_password} hasCode={account.has_totp} />
            <LinkedWalletsCard hasPassword={account.has_password} needsApp={!account.has_totp} />
            {!account.has_totp && <RecoveryCodesCard left={codesLeft} hasPassword={account.has_password} onChange={login.reload} />}
            {account.has_password && <AuthenticatorCard isOn={account.has_totp} onChange={login.reload} />}
          </>
        )}
      </Loaded>
      <SessionsCard />
    </>
  );
}
