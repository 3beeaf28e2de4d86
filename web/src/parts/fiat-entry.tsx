import { useFiat } from '../api/fiat-rate.ts';
import { formatCount } from '../texts/count.ts';
import { texts } from '../texts/en-fiat.ts';
import { useAmountKeys } from './amount-keys.tsx';
import { readDecimal } from './decimal.ts';
import { TextField } from './field.tsx';
import { DECIMAL } from './format-amount.ts';
import { decimalsOf, describeRate, isPrice, satsOf } from './format-fiat.ts';

/** An amount in a currency, as requests have it. */
export interface Price {
  readonly amount: string;
  readonly currency: string;
}

/** An amount in a currency, and what it was worth when it was entered. */
export interface FiatEntry extends Price {
  readonly sats: number;
}

export interface FiatEntryFieldProps {
  readonly label: string;
  readonly value: string;
  /** The text of the field, and the amount that it states; undefined while it states none. */
  readonly onEntry: (text: string, entry: FiatEntry | undefined) => void;
}

/**
 * A field for an amount in the currency of the account, or nothing if it has no valid rate. The service converts the amount. The hint has the
 * rate with its source and age.
 */
export function FiatEntryField({ label, value, onEntry }: FiatEntryFieldProps) {
  const rate = useFiat().data?.shown;
  const { input, keys } = useAmountKeys(rate && decimalsOf(rate.currency) > 0 ? DECIMAL : undefined);
  if (!rate?.source || rate.isStale) return null;
  const { currency } = rate;
  const entryOf = (text: string): FiatEntry | undefined => {
    const amount = readDecimal(text, decimalsOf(currency)) ?? '';
    const sats = isPrice(amount, currency) ? satsOf(amount, rate) : undefined;
    return sats === undefined ? undefined : { amount, currency, sats };
  };
  const entry = entryOf(value.trim());
  return (
    <>
      <TextField
        label={texts.entry(label, currency)}
        hint={
          <>
            {entry ? texts.about(formatCount(entry.sats)) : texts.entryHint} <span>{describeRate(rate, Date.now())}.</span>
          </>
        }
        error={value.trim() !== '' && !entry ? texts.entryError(currency) : undefined}
        value={value}
        onValue={(text) => onEntry(text, entryOf(text.trim()))}
        {...input}
        autocomplete="off"
      />
      {keys}
    </>
  );
}
