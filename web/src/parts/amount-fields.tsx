import type { ComponentChildren } from 'preact';
import type { FiatEntry, FiatEntryFieldProps, Price } from './fiat-entry.tsx';
import { lazy } from './lazy.tsx';
import { parseSats, SatsField } from './sats-field.tsx';
import { useUnitSetting } from './unit-setting.ts';

/** Most people see no fiat values. If the code is gone after an update, amounts are entered in sats. */
const FiatEntryField = lazy<FiatEntryFieldProps>(() =>
  import('./fiat-entry.tsx').then(
    (file) => file.FiatEntryField,
    () => () => null,
  ),
);

/** An amount as it was entered: in sats or in the currency of the account. One of the texts is empty. */
export interface AmountDraft {
  readonly sats: string;
  readonly fiat: string;
  /** What `fiat` states; absent while it is no amount. */
  readonly entry?: FiatEntry;
}

export const NO_AMOUNT: AmountDraft = { sats: '', fiat: '' };

/** Returns the draft of an amount in sats. */
export function draftOfSats(sats: number): AmountDraft {
  return { sats: String(sats), fiat: '' };
}

/** Returns the draft of an amount that was sent for review. */
export function draftOf({ sats, price }: { readonly sats: number; readonly price?: Price | undefined }): AmountDraft {
  return price ? { sats: '', fiat: price.amount, entry: { ...price, sats } } : draftOfSats(sats);
}

/** An amount that was entered. */
export interface EnteredAmount {
  /** Of an amount in a currency, what it is worth at the rate when it was entered. The service converts it at its rate. */
  readonly sats: number | undefined;
  /** The amount as requests have it in a currency. Absent: it was entered in sats. */
  readonly price: Price | undefined;
  /** Whether something was entered that is no amount. */
  readonly isInvalid: boolean;
}

export function readDraft({ sats: text, fiat, entry }: AmountDraft): EnteredAmount {
  if (fiat !== '') {
    const price = entry && { amount: entry.amount, currency: entry.currency };
    return { sats: entry?.sats, price, isInvalid: entry === undefined };
  }
  const sats = parseSats(text);
  return { sats, price: undefined, isInvalid: text.trim() !== '' && sats === undefined };
}

export interface AmountFieldsProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
  readonly draft: AmountDraft;
  readonly onDraft: (draft: AmountDraft) => void;
  readonly autofocus?: boolean;
}

/** An amount in sats and, for people who see fiat values, instead in the currency of the account. */
export function AmountFields({ label, hint, error, draft, onDraft, autofocus = false }: AmountFieldsProps) {
  const unit = useUnitSetting();
  const isFiat = draft.fiat !== '';
  return (
    <>
      <SatsField
        label={label}
        hint={hint}
        // The field of the currency shows what is wrong with its text.
        error={isFiat && draft.entry === undefined ? undefined : error}
        value={draft.sats}
        onValue={(sats) => onDraft({ sats, fiat: '' })}
        autofocus={autofocus}
      />
      {unit === 'fiat' && (
        <FiatEntryField
          label={label}
          value={draft.fiat}
          onEntry={(fiat, entry) => onDraft(fiat === '' ? { ...draft, fiat } : { sats: '', fiat, ...(entry && { entry }) })}
        />
      )}
    </>
  );
}
