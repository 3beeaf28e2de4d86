import { formatMsat } from '../../parts/amount.tsx';
import { CheckField } from '../../parts/field.tsx';
import { type LimitDraft, LimitFields, type LimitFieldsProps } from '../../parts/limit-fields.tsx';
import { parseSats } from '../../parts/sats-field.tsx';
import { apps } from '../../texts/en-apps.ts';
import { t } from '../../texts/texts.ts';
import { type AppPermission, PERMISSIONS } from './app-request.ts';

export interface AppDraft extends LimitDraft {
  readonly permissions: readonly AppPermission[];
}

/** The budget of the form at first: without one, the app could spend everything. */
export const FIRST_BUDGET = { budget: '100000', period: 'month' };

/** What the app may do, in words. */
export function PermissionFields({ value, onValue }: { value: readonly AppPermission[]; onValue: (value: AppPermission[]) => void }) {
  return (
    <fieldset class="app-permissions">
      <legend class="label">{apps.may}</legend>
      {PERMISSIONS.map((one) => (
        <CheckField
          key={one}
          label={apps.permissions[one][0]}
          hint={apps.permissions[one][1]}
          isChecked={value.includes(one)}
          onChange={(isChecked) => onValue(PERMISSIONS.filter((other) => (other === one ? isChecked : value.includes(other))))}
        />
      ))}
      {value.length === 0 && <span class="error">{apps.noPermission}</span>}
    </fieldset>
  );
}

/** The limits, and what they mean. */
export function AppLimits<Draft extends LimitDraft>(props: LimitFieldsProps<Draft>) {
  const { budget, period } = props.draft;
  const sats = parseSats(budget);
  return (
    <>
      <LimitFields {...props} />
      {props.canSend && (
        <p class="small secondary">
          {sats === undefined ? apps.worstAll : apps.worst(formatMsat(sats * 1000), t.keys.periods[period] ?? '')}
        </p>
      )}
    </>
  );
}
