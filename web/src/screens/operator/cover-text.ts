import { DECIMAL, group } from '../../parts/format-amount.ts';

/** Returns a cover in percent as a ratio with two decimals: `1.56`. */
export function coverText(percent: number): string {
  const [whole = '', decimals] = (percent / 100).toFixed(2).split('.');
  return `${group(whole)}${DECIMAL}${decimals}`;
}
