import { useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Note } from '../../parts/note.tsx';
import { showToast } from '../../parts/toast.tsx';
import { t } from '../../texts/texts.ts';
import { CurrentPasswordField } from './current-password.tsx';

/** Changes the password. An account without one gets it from a setup link. */
export function PasswordCard({ hasPassword, email }: { hasPassword: boolean; email: string | null }) {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  // A wrong password is a 401 too, so it does not end the session.
  const { run, isBusy, error } = useAction(change, { endsWithSession: false });

  async function change() {
    await api.session.changePassword({ current_password: current, new_password: next });
    setCurrent('');
    setNext('');
    showToast(t.settings.passwordChanged);
  }

  return (
    <Card title={t.settings.password} isPadded>
      {hasPassword ? (
        <Form class="stack narrow" onSubmit={run}>
          <p class="small secondary">{t.settings.passwordHint}</p>
          <input
            class="visually-hidden"
            type="email"
            autocomplete="username"
            value={email ?? ''}
            readOnly
            tabIndex={-1}
            aria-hidden="true"
          />
          <CurrentPasswordField value={current} onValue={setCurrent} />
          <TextField
            label={t.settings.newPassword}
            hint={t.settings.newPasswordHint}
            type="password"
            autocomplete="new-password"
            required
            minLength={10}
            value={next}
            onValue={setNext}
          />
          {error !== undefined && <Note tone="error">{error}</Note>}
          <Button type="submit" disabled={isBusy} class="start">
            {t.settings.changePassword}
          </Button>
        </Form>
      ) : (
        <p class="secondary">{t.settings.noPassword}</p>
      )}
    </Card>
  );
}
