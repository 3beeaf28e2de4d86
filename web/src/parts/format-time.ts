import { t } from '../texts/texts.ts';

const LOCALE = 'en-GB';

/** Returns a time for lists: `Today 14:31`, this year `21 Nov 20:40`, before `2 Mar 2026`. `now` and `at` in ms since 1970, local time. */
export function formatTime(at: number, now: number): string {
  const [time, present] = [new Date(at), new Date(now)];
  const clock = time.toLocaleTimeString(LOCALE, { hour: '2-digit', minute: '2-digit' });
  if (time.toDateString() === present.toDateString()) return `${t.common.today} ${clock}`;
  const day = time.toLocaleDateString(LOCALE, { day: 'numeric', month: 'short' });
  return time.getFullYear() === present.getFullYear() ? `${day} ${clock}` : `${day} ${time.getFullYear()}`;
}

/** Returns a time with seconds and zone, for tooltips. `milliseconds` adds those. */
export function formatExactTime(at: number, milliseconds = false): string {
  return new Date(at).toLocaleString(LOCALE, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    ...(milliseconds && { fractionalSecondDigits: 3 as const }),
    timeZoneName: 'short',
  });
}

/** Returns `2 min ago` under an hour, `in 9 days` for the future, otherwise the time as in lists. */
export function formatRelativeTime(at: number, now: number): string {
  const minutes = Math.round((at - now) / 60_000);
  const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
  if (Math.abs(minutes) < 1) return t.common.now;
  if (Math.abs(minutes) < 60) return format.format(minutes, 'minute');
  if (minutes < 0) return formatTime(at, now);
  return minutes < 48 * 60 ? format.format(Math.round(minutes / 60), 'hour') : format.format(Math.round(minutes / 1440), 'day');
}
