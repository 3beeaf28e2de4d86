import { t } from '../texts/texts.ts';
import { parseSats, SelectField, TextField } from './field.tsx';
import { optionsOf } from './options.ts';

/** The limits of a new key or app, as the person typed them. */
export interface LimitDraft {
  readonly budget: string;
  readonly period: string;
  readonly cap: string;
  /** Empty: never. `d30`: in 30 days. `u1790000000`: at that time, in Unix seconds. */
  readonly expiry: string;
}

/** The fields of the request, in millisatoshis and seconds. */
export interface LimitOrder {
  readonly expiry?: number;
  readonly expires_at?: number;
  readonly budget_msat?: number;
  readonly budget_period?: 'day' | 'week' | 'month' | 'ever';
  readonly max_payment_msat?: number;
}

export interface LimitFieldsProps<Draft extends LimitDraft> {
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
  /** Without payments there is nothing to limit but the time. */
  readonly canSend: boolean;
  /** The name of the expiry `u…`, which the request of an app brings. */
  readonly givenExpiry?: { readonly value: string; readonly label: string } | undefined;
}

/** Budget, limit per payment and expiry. */
export function LimitFields<Draft extends LimitDraft>({ draft, onDraft, canSend, givenExpiry }: LimitFieldsProps<Draft>) {
  const set = (name: keyof LimitDraft) => (value: string) => onDraft({ ...draft, [name]: value });
  const expiries = optionsOf(t.keys.expiries);
  return (
    <>
      {canSend && (
        <>
          <div class="columns two">
            <TextField
              label={t.keys.budgetSats}
              hint={t.keys.optional}
              error={errorOf(draft.budget)}
              inputMode="numeric"
              value={draft.budget}
              onValue={set('budget')}
            />
            <SelectField label={t.keys.period} value={draft.period} onValue={set('period')} options={optionsOf(t.keys.periodNames)} />
          </div>
          <TextField
            label={t.keys.cap}
            hint={t.keys.capHint}
            error={errorOf(draft.cap)}
            inputMode="numeric"
            value={draft.cap}
            onValue={set('cap')}
          />
        </>
      )}
      <SelectField
        label={t.keys.expires}
        value={draft.expiry}
        onValue={set('expiry')}
        options={givenExpiry ? [givenExpiry, ...expiries] : expiries}
      />
    </>
  );
}

/** Returns whether the amounts are empty or whole numbers of sats. */
export function areLimitsValid({ budget, cap }: LimitDraft, canSend: boolean): boolean {
  return !canSend || (errorOf(budget) === undefined && errorOf(cap) === undefined);
}

/** Returns the fields of the request. The amounts must be valid. */
export function limitOrder({ budget: budgetText, period, cap: capText, expiry }: LimitDraft, canSend: boolean): LimitOrder {
  const [budget, cap] = [parseSats(budgetText), parseSats(capText)];
  const number = Number(expiry.slice(1));
  return {
    // As a string, because object keys that look like numbers are sorted before ''.
    ...(expiry.startsWith('d') && { expiry: number * 86_400 }),
    ...(expiry.startsWith('u') && { expires_at: number }),
    ...(canSend && budget !== undefined && { budget_msat: budget * 1000, budget_period: period as 'day' | 'week' | 'month' | 'ever' }),
    ...(canSend && cap !== undefined && { max_payment_msat: cap * 1000 }),
  };
}

function errorOf(sats: string): string | undefined {
  return sats !== '' && parseSats(sats) === undefined ? t.keys.wholeSats : undefined;
}
