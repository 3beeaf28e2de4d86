import { TextField } from '../../parts/field.tsx';
import { t } from '../../texts/texts.ts';

/** The password that confirms a change of the login. */
export function CurrentPasswordField(props: { value: string; onValue: (value: string) => void }) {
  return <TextField label={t.settings.currentPassword} type="password" autocomplete="current-password" required {...props} />;
}
