import type { ComponentChildren } from 'preact';
import { t } from '../texts/texts.ts';
import type { FiatValueProps } from './fiat-value.tsx';
import { formatMsat, formatSats } from './format-amount.ts';
import { lazy } from './lazy.tsx';
import { Skeleton } from './skeleton.tsx';
import { useUnit, useUnitSetting } from './unit-setting.ts';
import './amount.css';

/** Most people see no fiat values. If the code is gone after an update, the amounts in sats stay. */
const FiatValue = lazy<FiatValueProps>(() =>
  import('./fiat-value.tsx').then(
    (file) => file.FiatValue,
    () => () => null,
  ),
);

export { formatMsat, formatSats } from './format-amount.ts';

export interface SatsProps {
  readonly sats: number;
  /** Writes a plus before money in. */
  readonly sign?: boolean;
  /** Writes the unit behind the number. */
  readonly unit?: boolean;
}

/** Whole sats in the unit of the settings. Never wraps and is never cut. */
export function Sats({ sats, sign = false, unit: hasUnit = false }: SatsProps) {
  const unit = useUnit();
  return (
    <span class="amount-text">
      {formatSats(sats, { unit, hasPlus: sign })}
      {hasUnit && ` ${t.common.units[unit]}`}
    </span>
  );
}

/** Returns a function that writes whole sats with the unit of the settings, for texts. */
export function useSatsText(): (sats: number) => string {
  const unit = useUnit();
  return (sats) => `${formatSats(sats, { unit })} ${t.common.units[unit]}`;
}

/** A name with the unit of the amounts below it, which follows the setting. */
export function AmountName({ children }: { children: string }) {
  return <>{useUnit() === 'btc' ? children.replace(/sats/i, t.common.units.btc) : children}</>;
}

/** Exact millisats in the unit of the settings: for fees. */
export function Msat({ msat, unit: hasUnit = false }: { msat: number; unit?: boolean }) {
  const unit = useUnit();
  return (
    <span class="amount-text">
      {formatMsat(msat, { unit })}
      {hasUnit && ` ${t.common.units[unit]}`}
    </span>
  );
}

/** Money that moved: the sign says the direction, the color repeats it. */
export function SignedAmount({ sats }: { sats: number }) {
  return (
    <span class={sats > 0 ? 'positive' : undefined}>
      <Sats sats={sats} sign />
    </span>
  );
}

export interface FiatProps extends Omit<FiatValueProps, 'sats'> {
  /** Without an amount, only the space of the value is kept. */
  readonly sats: number | undefined;
}

/** The fiat value of an amount, in a line of its own, if this browser shows fiat values. It stands beside the sats, never alone. */
export function Fiat({ sats, ...look }: FiatProps) {
  if (useUnitSetting() !== 'fiat') return null;
  return <span class="fiat">{sats !== undefined && <FiatValue sats={sats} {...look} />}</span>;
}

/** What a wallet has, with its fiat value. */
export function Balance({ sats, unit = false }: Pick<SatsProps, 'sats' | 'unit'>) {
  return (
    <span class="balance">
      <Sats sats={sats} unit={unit} />
      <Fiat sats={sats} isShort />
    </span>
  );
}

export interface HeroAmountProps {
  readonly sats: number;
  readonly caption?: ComponentChildren;
  /** Writes a plus, in the color of money in. */
  readonly isIncome?: boolean;
  /** The price that was requested, in place of the fiat value of today. */
  readonly price?: ComponentChildren;
}

/** The one large number of a screen. */
export function HeroAmount({ sats, caption, isIncome = false, price }: HeroAmountProps) {
  const unit = useUnit();
  return (
    <div>
      <div class={isIncome ? 'hero-amount positive' : 'hero-amount'}>
        <span class="amount-text">
          {formatSats(sats, { unit, hasPlus: isIncome })}
          <span class="unit">{t.common.units[unit]}</span>
        </span>
      </div>
      {caption !== undefined && <div class="small secondary">{caption}</div>}
      {price ?? <Fiat sats={sats} hasPlus={isIncome} />}
    </div>
  );
}

/** The place of a {@link HeroAmount} with a small line of text, and of the line of its fiat value. */
export function HeroSkeleton({ width }: { width: string }) {
  return (
    <div>
      <Skeleton width={width} height="calc(var(--t6) * 1.1 + var(--t1) * 1.45)" />
      <Fiat sats={undefined} />
    </div>
  );
}
