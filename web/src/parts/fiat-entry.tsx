import { useState } from 'preact/hooks';
import { useFiat } from '../api/fiat-rate.ts';
import { texts } from '../texts/en-fiat.ts';
import { TextField } from './field.tsx';
import { describeRate, formatSatsOf, isPrice } from './format-fiat.ts';

/** An amount in a currency, as requests have it. */
export interface FiatEntry {
  readonly amount: string;
  readonly currency: string;
}

export interface FiatEntryFieldProps {
  readonly label: string;
  /** The text of the field, and the amount that it has; undefined while it has none. */
  readonly onEntry: (entry: FiatEntry | undefined, text: string) => void;
}

/** A field for an amount in the currency of the account, or nothing if it has no valid rate. The service converts the amount. */
export function FiatEntryField({ label, onEntry }: FiatEntryFieldProps) {
  const [text, setText] = useState('');
  const rate = useFiat().data?.shown;
  if (!rate?.source || rate.isStale) return null;
  const { currency } = rate;
  const isValid = isPrice(text.trim(), currency);
  return (
    <TextField
      label={texts.entry(label, currency)}
      hint={<span title={describeRate(rate, Date.now())}>{isValid ? texts.about(formatSatsOf(text.trim(), rate)) : texts.entryHint}</span>}
      error={text.trim() !== '' && !isValid ? texts.entryError(currency) : undefined}
      value={text}
      onValue={(value) => {
        setText(value);
        const amount = value.trim();
        onEntry(isPrice(amount, currency) ? { amount, currency } : undefined, amount);
      }}
      inputMode="decimal"
      autocomplete="off"
    />
  );
}
