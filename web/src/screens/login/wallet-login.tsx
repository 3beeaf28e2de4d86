import { useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { api, type Login, SatchelError, type WalletLogin } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Note } from '../../parts/note.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { t } from '../../texts/texts.ts';
import { EntryPage } from './entry-page.tsx';
import { usePolling } from './use-polling.ts';
import { WalletQr } from './wallet-qr.tsx';

export interface WalletLoginProps {
  readonly onLogin: (login: Login) => void;
  readonly onBack: () => void;
}

/** Logs in with a Lightning wallet that is linked to an account: it signs the LNURL of the QR code (LUD-04). */
export function WalletLoginScreen({ onLogin, onBack }: WalletLoginProps) {
  const begun = useResource('wallet login', (signal) => api.session.beginWalletLogin({}, { signal }));
  return (
    <EntryPage title={t.walletLogins.logIn} text={t.walletLogins.scan} onSubmit={() => undefined}>
      <Loaded resource={begun} skeleton={<Skeleton height="260px" />}>
        {(login) => <Scan key={login.id} login={login} onLogin={onLogin} />}
      </Loaded>
      <Button kind="quiet" onClick={onBack}>
        {t.login.startOver}
      </Button>
    </EntryPage>
  );
}

/** Waits for the signature, then asks for the code of the second step if the account has one. */
function Scan({ login, onLogin }: { login: WalletLogin; onLogin: (login: Login) => void }) {
  const [code, setCode] = useState('');
  const [needsCode, setNeedsCode] = useState(false);

  /** Returns whether the waiting is over. */
  async function complete(): Promise<boolean> {
    try {
      const reply = await api.session.completeWalletLogin(login.id, { token: login.token, ...(code !== '' && { code }) });
      if (!('account' in reply)) return false;
      onLogin(reply);
    } catch (error) {
      if (!(error instanceof SatchelError && error.type === 'code_required')) throw error;
      setNeedsCode(true);
    }
    return true;
  }

  const failure = usePolling(complete, !needsCode);
  const submit = useAction(complete, { endsWithSession: false });
  const error = failure ?? submit.error;
  return (
    <>
      {needsCode ? (
        <>
          <TextField label={t.login.code} hint={t.login.codeHint} autocomplete="one-time-code" required value={code} onValue={setCode} />
          <Button kind="primary" size="big" disabled={submit.isBusy || code === ''} onClick={() => submit.run()}>
            {t.login.continue}
          </Button>
        </>
      ) : (
        <WalletQr lnurl={login.lnurl} />
      )}
      {error !== undefined && <Note tone="error">{error}</Note>}
    </>
  );
}
