import { t } from '../texts/texts.ts';
import { Fiat } from './amount.tsx';
import { useAmountKeys } from './amount-keys.tsx';
import { readDecimal } from './decimal.ts';
import { Field, type TextFieldProps } from './field.tsx';
import { useUnitSetting } from './unit-setting.ts';

/** A whole number of sats, 1 or more. Its digits may be grouped. `onValue` receives the text. The hint has the fiat value. */
export function SatsField({ label, hint, error, value, onValue, class: added, ...input }: TextFieldProps) {
  const { input: ofKeys, keys } = useAmountKeys();
  const fiat = useUnitSetting() === 'fiat' && <Fiat sats={parseSats(value)} />;
  return (
    <Field label={label} hint={fiat ? [hint, fiat] : hint} error={error}>
      {(control) => (
        <>
          <span class="with-unit">
            <input
              type="text"
              autocomplete="off"
              placeholder="0"
              {...ofKeys}
              {...input}
              {...control}
              class={['input amount', added].filter(Boolean).join(' ')}
              value={value}
              onInput={(event) => onValue(event.currentTarget.value)}
            />
            <span class="secondary">{t.common.sats}</span>
          </span>
          {keys}
        </>
      )}
    </Field>
  );
}

/** Returns the number of sats in the text of a {@link SatsField}, or undefined if it is not a whole number from 1 up to 21 million BTC. */
export function parseSats(text: string): number | undefined {
  const sats = Number(readDecimal(text, 0) ?? 0);
  return sats >= 1 && sats <= 21e14 ? sats : undefined;
}
