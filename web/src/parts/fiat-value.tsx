import { useFiatRate } from '../api/fiat-rate.ts';
import { texts } from '../texts/en-fiat.ts';
import { describeRate, formatFiat, oldAge } from './format-fiat.ts';

export interface FiatValueProps {
  readonly sats: number;
  /** Writes a plus before money in. */
  readonly hasPlus?: boolean;
  /** For rows: fewer words. */
  readonly isShort?: boolean;
}

/** What an amount is worth at the operator's rate, or nothing if none is set. The tooltip has the rate and its age. */
export function FiatValue({ sats, hasPlus = false, isShort = false }: FiatValueProps) {
  const { data: rate } = useFiatRate();
  if (!rate) return null;
  const now = Date.now();
  const age = oldAge(rate, now);
  return (
    <span title={describeRate(rate, now)}>
      <span class="amount-text">
        {formatFiat(BigInt(sats) * 1000n, rate, hasPlus)} {rate.currency}
      </span>
      {age !== undefined && (
        <>
          {' '}
          <span class="old-rate">· {isShort ? texts.oldShort(age) : texts.old(age)}</span>
        </>
      )}
    </span>
  );
}
