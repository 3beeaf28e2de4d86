import { useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { api, type Totp } from '../../api/client.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { CopyButton, CopyText } from '../../parts/copy.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Note } from '../../parts/note.tsx';
import { QrCode } from '../../parts/qr.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { t } from '../../texts/texts.ts';
import { CurrentPasswordField } from './current-password.tsx';
import './settings.css';

/** Adds or removes the second step of the login: the codes of an authenticator app. */
export function AuthenticatorCard({ isOn, onChange }: { isOn: boolean; onChange: () => void }) {
  const [isOpen, setIsOpen] = useState(false);
  const close = () => {
    setIsOpen(false);
    onChange();
  };
  return (
    <Card
      title={t.settings.authenticator}
      isPadded
      actions={
        isOn ? (
          <Badge tone="done" icon="done">
            {t.settings.on}
          </Badge>
        ) : (
          <Badge tone="plain">{t.settings.off}</Badge>
        )
      }
    >
      <div class="stack">
        <p class="small secondary">{t.settings.authenticatorHint}</p>
        <Button class="start" {...(isOn && { kind: 'danger' as const })} onClick={() => setIsOpen(true)}>
          {isOn ? t.settings.removeAuthenticator : t.settings.addAuthenticator}
        </Button>
      </div>
      {isOpen && (isOn ? <RemoveSheet onClose={close} /> : <AddSheet onClose={close} />)}
    </Card>
  );
}

/** Password, then the QR code and a first code, then the recovery codes. */
function AddSheet({ onClose }: { onClose: () => void }) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [totp, setTotp] = useState<Totp>();
  const [recoveryCodes, setRecoveryCodes] = useState<readonly string[]>();
  const { run, isBusy, error } = useAction(proceed, { endsWithSession: false });

  async function proceed() {
    if (!totp) setTotp(await api.session.beginTotp({ current_password: password }));
    else setRecoveryCodes((await api.session.confirmTotp({ code })).recovery_codes);
  }

  if (recoveryCodes) return <RecoveryCodesSheet codes={recoveryCodes} onClose={onClose} />;
  return (
    <Sheet title={t.settings.addAuthenticator} onClose={onClose}>
      <Form onSubmit={run}>
        {totp ? (
          <>
            <p class="secondary">{t.settings.scan}</p>
            <div class="seed">
              <QrCode text={totp.otpauth_url} label={t.settings.seedQr} />
            </div>
            <CopyText text={totp.secret} label={t.settings.copySeed} />
            <TextField
              label={t.login.code}
              inputMode="numeric"
              autocomplete="one-time-code"
              required
              maxLength={20}
              value={code}
              onValue={setCode}
            />
          </>
        ) : (
          <CurrentPasswordField value={password} onValue={setPassword} />
        )}
        {error !== undefined && <Note tone="error">{error}</Note>}
        <Button kind="primary" size="big" type="submit" disabled={isBusy}>
          {t.login.continue}
        </Button>
      </Form>
    </Sheet>
  );
}

/** Shown once: each code replaces the app for one login. */
export function RecoveryCodesSheet({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  return (
    <Sheet title={t.settings.recoveryCodes} onClose={onClose}>
      <Note tone="warning">{t.settings.recoveryCodesHint}</Note>
      <ul class="recovery-codes mono">
        {codes.map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ul>
      <CopyButton text={codes.join('\n')} label={t.settings.copyCodes} hasText />
      <Button kind="primary" size="big" onClick={onClose}>
        {t.settings.codesStored}
      </Button>
    </Sheet>
  );
}

function RemoveSheet({ onClose }: { onClose: () => void }) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const { run, isBusy, error } = useAction(remove, { endsWithSession: false });

  async function remove() {
    await api.session.removeTotp({ current_password: password, code });
    onClose();
  }

  return (
    <Sheet title={t.settings.removeAuthenticator} onClose={onClose}>
      <Form onSubmit={run}>
        <p class="secondary">{t.settings.removeAuthenticatorHint}</p>
        <CurrentPasswordField value={password} onValue={setPassword} />
        <TextField label={t.login.code} hint={t.login.codeHint} autocomplete="one-time-code" required value={code} onValue={setCode} />
        {error !== undefined && <Note tone="error">{error}</Note>}
        <Button kind="danger" type="submit" disabled={isBusy}>
          {t.settings.removeAuthenticator}
        </Button>
      </Form>
    </Sheet>
  );
}
