import { policy } from '../texts/en-policy.ts';
import { t } from '../texts/texts.ts';
import { SelectField, TextField } from './field.tsx';
import { MoreFields } from './more-fields.tsx';
import { optionsOf } from './options.ts';
import { parseSats } from './sats-field.tsx';

/** The limits of a new key or app, as the person typed them. */
export interface LimitDraft {
  readonly budget: string;
  readonly period: string;
  readonly cap: string;
  /** The other limits; absent while they are not typed. */
  readonly more?: MoreLimits;
  /** Empty: never. `d30`: in 30 days. `u1790000000`: at that time, in Unix seconds. */
  readonly expiry: string;
}

type MoreLimits = { readonly [Name in MoreName]?: string };

const MORE = ['max_out_day_msat', 'max_out_month_msat', 'max_payments_per_minute', 'max_pending'] as const;

type MoreName = (typeof MORE)[number];

/** The fields of the request, in millisatoshis and seconds. */
export interface LimitOrder {
  readonly expiry?: number;
  readonly expires_at?: number;
  readonly budget_msat?: number;
  readonly budget_period?: 'day' | 'week' | 'month' | 'ever';
  readonly max_payment_msat?: number;
  readonly max_out_day_msat?: number;
  readonly max_out_month_msat?: number;
  readonly max_payments_per_minute?: number;
  readonly max_pending?: number;
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
  const set = (name: Exclude<keyof LimitDraft, 'more'>) => (value: string) => onDraft({ ...draft, [name]: value });
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
          <MoreLimitFields more={draft.more ?? {}} onMore={(more) => onDraft({ ...draft, more })} />
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

/** Limits like those of wallets, which few keys have. */
function MoreLimitFields({ more, onMore }: { more: MoreLimits; onMore: (more: MoreLimits) => void }) {
  return (
    <MoreFields title={policy.limits.more} hasError={hasMoreError(more)}>
      <p class="small secondary">{policy.limits.keyText}</p>
      <div class="columns two">
        {MORE.map((name) => (
          <TextField
            key={name}
            label={isAmount(name) ? policy.limits.inSats(policy.limits.names[name]) : policy.limits.names[name]}
            error={moreError(name, more)}
            inputMode="numeric"
            value={more[name] ?? ''}
            onValue={(text) => onMore({ ...more, [name]: text })}
          />
        ))}
      </div>
    </MoreFields>
  );
}

function isAmount(name: MoreName): boolean {
  return name.endsWith('_msat');
}

/** Returns a limit in the unit of the API; undefined if it is not typed, or no number. */
function moreLimit(name: MoreName, { [name]: text = '' }: MoreLimits): number | undefined {
  const number = parseSats(text);
  return number === undefined || !isAmount(name) ? number : number * 1000;
}

function moreError(name: MoreName, more: MoreLimits): string | undefined {
  if ((more[name] ?? '').trim() === '' || moreLimit(name, more) !== undefined) return undefined;
  return isAmount(name) ? t.keys.wholeSats : policy.limits.countOfOne;
}

function hasMoreError(more: MoreLimits): boolean {
  return MORE.some((name) => moreError(name, more) !== undefined);
}

/** Returns whether the amounts are empty or whole numbers of sats. */
export function areLimitsValid({ budget, cap, more = {} }: LimitDraft, canSend: boolean): boolean {
  return !canSend || (errorOf(budget) === undefined && errorOf(cap) === undefined && !hasMoreError(more));
}

/** Returns the fields of the request. The amounts must be valid. */
export function limitOrder({ budget: budgetText, period, cap: capText, more = {}, expiry }: LimitDraft, canSend: boolean): LimitOrder {
  const [budget, cap] = [parseSats(budgetText), parseSats(capText)];
  const number = Number(expiry.slice(1));
  return {
    // As a string, because object keys that look like numbers are sorted before ''.
    ...(expiry.startsWith('d') && { expiry: number * 86_400 }),
    ...(expiry.startsWith('u') && { expires_at: number }),
    ...(canSend && budget !== undefined && { budget_msat: budget * 1000, budget_period: period as 'day' | 'week' | 'month' | 'ever' }),
    ...(canSend && cap !== undefined && { max_payment_msat: cap * 1000 }),
    ...(canSend &&
      Object.fromEntries(MORE.flatMap((name) => (moreLimit(name, more) === undefined ? [] : [[name, moreLimit(name, more)]])))),
  };
}

function errorOf(sats: string): string | undefined {
  return sats !== '' && parseSats(sats) === undefined ? t.keys.wholeSats : undefined;
}
