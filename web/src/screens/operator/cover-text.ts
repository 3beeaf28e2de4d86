import { locale } from '../../texts/texts.ts';

/** Returns a cover in percent as a ratio with two decimals: `1.56`. */
export function coverText(percent: number): string {
  return (percent / 100).toLocaleString(locale, { minimumFractionDigits: 2 });
}
