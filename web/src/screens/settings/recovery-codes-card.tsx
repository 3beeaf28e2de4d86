import { useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Form } from '../../parts/form.tsx';
import { Note } from '../../parts/note.tsx';
import { setup } from '../../texts/en-setup.ts';
import { Codes } from '../setup/codes.tsx';
import { CurrentPasswordField } from './current-password.tsx';

interface RecoveryCodesCardProps {
  /** `null`: the account has none. */
  readonly left: number | null;
  readonly hasPassword: boolean;
  readonly onChange: () => void;
}

/** The codes that log in once each, of an account without an authenticator app. */
export function RecoveryCodesCard({ left, hasPassword, onChange }: RecoveryCodesCardProps) {
  const [password, setPassword] = useState('');
  const [isAsking, setIsAsking] = useState(false);
  const [codes, setCodes] = useState<readonly string[]>();
  const { run, isBusy, error } = useAction(
    async () => {
      setCodes((await api.session.createRecoveryCodes(hasPassword ? { current_password: password } : {})).recovery_codes);
      setPassword('');
      setIsAsking(false);
      onChange();
    },
    { endsWithSession: false },
  );
  return (
    <Card title={setup.settingsTitle} isPadded>
      <Form class="stack narrow" onSubmit={() => (hasPassword && !isAsking ? setIsAsking(true) : run())}>
        <p class="small secondary">
          {setup.settingsText} {left === null ? setup.noCodes : setup.codesLeft(left)}
        </p>
        {codes && (
          <>
            <Note>{setup.shownOnce}</Note>
            <Codes codes={codes} />
          </>
        )}
        {isAsking && <CurrentPasswordField value={password} onValue={setPassword} />}
        {error !== undefined && <Note tone="error">{error}</Note>}
        <Button type="submit" class="start" disabled={isBusy}>
          {left === null ? setup.createCodes : setup.replaceCodes}
        </Button>
      </Form>
    </Card>
  );
}
