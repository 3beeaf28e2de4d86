import { useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { api, type WalletLink } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Note } from '../../parts/note.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { t } from '../../texts/texts.ts';
import { usePolling } from '../login/use-polling.ts';
import { WalletQr } from '../login/wallet-qr.tsx';
import { CurrentPasswordField } from './current-password.tsx';
import { LoginList } from './login-list.tsx';

export interface LinkedWalletsProps {
  readonly hasPassword: boolean;
  /** Whether the account has to add an authenticator app before its wallets can log in. */
  readonly needsApp: boolean;
}

/** The Lightning wallets that can log in: list, link, remove. */
export function LinkedWalletsCard({ hasPassword, needsApp }: LinkedWalletsProps) {
  const [isOpen, setIsOpen] = useState(false);
  const keys = useResource('linked keys', (signal) => api.session.listLinkedKeys({}, { signal }));
  const close = () => {
    setIsOpen(false);
    keys.reload();
  };
  return (
    <Card title={t.walletLogins.title} isPadded>
      <div class="stack">
        <p class="small secondary">{t.walletLogins.hint}</p>
        {needsApp && <Note tone="warning">{t.walletLogins.needsApp}</Note>}
        <LoginList logins={keys} texts={t.walletLogins} remove={api.session.removeLinkedKey} />
        <Button class="start" onClick={() => setIsOpen(true)}>
          {t.walletLogins.link}
        </Button>
      </div>
      {isOpen && <LinkSheet hasPassword={hasPassword} onClose={close} />}
    </Card>
  );
}

/** Name and password, then the QR code. It closes by itself once a wallet has signed. */
function LinkSheet({ hasPassword, onClose }: { hasPassword: boolean; onClose: () => void }) {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [link, setLink] = useState<WalletLink>();
  // A wrong password is a 401 too, so it does not end the session.
  const { run, isBusy, error } = useAction(
    async () => setLink(await api.session.beginWalletLink({ name, ...(password !== '' && { current_password: password }) })),
    { endsWithSession: false },
  );
  return (
    <Sheet title={t.walletLogins.link} onClose={onClose}>
      {link ? (
        <Waiting link={link} onLinked={onClose} />
      ) : (
        <Form onSubmit={run}>
          <TextField label={t.walletLogins.name} maxLength={100} value={name} onValue={setName} />
          {hasPassword && <CurrentPasswordField value={password} onValue={setPassword} />}
          {error !== undefined && <Note tone="error">{error}</Note>}
          <Button kind="primary" size="big" type="submit" disabled={isBusy}>
            {t.login.continue}
          </Button>
        </Form>
      )}
    </Sheet>
  );
}

function Waiting({ link, onLinked }: { link: WalletLink; onLinked: () => void }) {
  const error = usePolling(async () => {
    const reply = await api.session.completeWalletLink(link.id);
    const isLinked = 'linking_key' in reply;
    if (isLinked) onLinked();
    return isLinked;
  }, true);
  return (
    <div class="stack">
      <p class="secondary">{t.walletLogins.scanToLink}</p>
      <WalletQr lnurl={link.lnurl} />
      {error !== undefined && <Note tone="error">{error}</Note>}
    </div>
  );
}
