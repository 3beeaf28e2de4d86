import { useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { api, type WalletLink } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Note } from '../../parts/note.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { Time } from '../../parts/time.tsx';
import { t } from '../../texts/texts.ts';
import { usePolling } from '../login/use-polling.ts';
import { WalletQr } from '../login/wallet-qr.tsx';

export interface LinkedWalletsProps {
  readonly hasPassword: boolean;
  /** Whether the account has to add an authenticator app before its wallets can log in. */
  readonly needsApp: boolean;
}

/** The Lightning wallets that can log in: list, link, remove. */
export function LinkedWalletsCard({ hasPassword, needsApp }: LinkedWalletsProps) {
  const [isOpen, setIsOpen] = useState(false);
  const keys = useResource('linked keys', (signal) => api.listLinkedKeys({}, { signal }));
  const removal = useAction(async (id: string) => {
    await api.removeLinkedKey({ id });
    keys.reload();
  });
  const close = () => {
    setIsOpen(false);
    keys.reload();
  };
  return (
    <Card title={t.walletLogins.title} isPadded>
      <div class="stack">
        <p class="small secondary">{t.walletLogins.hint}</p>
        {needsApp && <Note tone="warning">{t.walletLogins.needsApp}</Note>}
        {removal.error !== undefined && <Note tone="error">{removal.error}</Note>}
        <Loaded resource={keys}>
          {(list) => (
            <>
              {list.map(({ id, name, created_at }) => (
                <div class="row wrap" key={id}>
                  <div class="shrink">
                    <bdi class="strong">{name || t.walletLogins.unnamed}</bdi>
                    <div class="small secondary">
                      {t.walletLogins.linked} <Time at={created_at} />
                    </div>
                  </div>
                  <Button size="small" class="push" disabled={removal.isBusy} onClick={() => removal.run(id)}>
                    {t.walletLogins.remove}
                  </Button>
                </div>
              ))}
            </>
          )}
        </Loaded>
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
    async () => setLink(await api.beginWalletLink({ name, ...(password !== '' && { current_password: password }) })),
    { endsWithSession: false },
  );
  return (
    <Sheet title={t.walletLogins.link} onClose={onClose}>
      {link ? (
        <Waiting link={link} onLinked={onClose} />
      ) : (
        <Form onSubmit={run}>
          <TextField label={t.walletLogins.name} maxLength={100} value={name} onValue={setName} />
          {hasPassword && (
            <TextField
              label={t.settings.currentPassword}
              type="password"
              autocomplete="current-password"
              required
              value={password}
              onValue={setPassword}
            />
          )}
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
    const reply = await api.completeWalletLink({ id: link.id });
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
