import { formatDecimal } from '../../parts/format-amount.ts';

/** Returns a cover in percent as a ratio with two decimals: `1.56`. */
export function coverText(percent: number): string {
  return formatDecimal(percent / 100, 2);
}
