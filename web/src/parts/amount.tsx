import type { ComponentChildren } from 'preact';
import { t } from '../texts/texts.ts';
import { formatMsat, formatSats } from './format-amount.ts';
import { useUnit } from './unit-setting.ts';
import './amount.css';

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

/** Exact millisats, as sats with three decimals: for fees. */
export function Msat({ msat, unit = false }: { msat: number; unit?: boolean }) {
  return (
    <span class="amount-text">
      {formatMsat(msat)}
      {unit && ` ${t.common.sats}`}
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

export interface HeroAmountProps {
  readonly sats: number;
  readonly caption?: ComponentChildren;
  /** Writes a plus, in the color of money in. */
  readonly isIncome?: boolean;
}

/** The one large number of a screen. */
export function HeroAmount({ sats, caption, isIncome = false }: HeroAmountProps) {
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
    </div>
  );
}
