import { locale, t } from '../texts/texts.ts';

const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const DAY = { day: 'numeric', month: 'short' } as const;
const DATE = { ...DAY, year: 'numeric' } as const;

/** With seconds and milliseconds. */
const EXACT_CLOCK = { ...CLOCK, second: '2-digit', fractionalSecondDigits: 3 } as const;
const SECONDS_CLOCK = { ...CLOCK, second: '2-digit' } as const;
const EXACT = { ...DATE, ...SECONDS_CLOCK, timeZoneName: 'short' } as const;
const EXACTEST = { ...DATE, ...EXACT_CLOCK, timeZoneName: 'short' } as const;
const MONTH = { month: 'short', year: 'numeric' } as const;

/** To create a format takes a hundred times as long as to use it, and a list has hundreds of times. */
const formats = new Map<Intl.DateTimeFormatOptions, Intl.DateTimeFormat>();

function format(at: number, options: Intl.DateTimeFormatOptions): string {
  let made = formats.get(options);
  if (!made) {
    made = new Intl.DateTimeFormat(locale, options);
    formats.set(options, made);
  }
  return made.format(at);
}

/** Returns a time of day: `14:31`. */
export function formatMinute(at: number): string {
  return format(at, CLOCK);
}

/** Returns a day with the year: `2 Mar 2026`. */
export function formatDate(at: number): string {
  return format(at, DATE);
}

/** Returns a time for lists: `Today 14:31`, this year `21 Nov 20:40`, before `2 Mar 2026`. `now` and `at` in ms since 1970, local time. */
export function formatTime(at: number, now: number): string {
  const [time, present] = [new Date(at), new Date(now)];
  const clock = formatMinute(at);
  if (time.toDateString() === present.toDateString()) return `${t.common.today} ${clock}`;
  return time.getFullYear() === present.getFullYear() ? `${formatDay(at)} ${clock}` : formatDate(at);
}

/** Returns a time with seconds and zone, for tooltips. `milliseconds` adds those. */
export function formatExactTime(at: number, milliseconds = false): string {
  return format(at, milliseconds ? EXACTEST : EXACT);
}

/** Returns `2 min ago` under an hour, `in 9 days` for the future, otherwise the time as in lists. */
export function formatRelativeTime(at: number, now: number): string {
  const minutes = Math.round((at - now) / 60_000);
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' });
  if (Math.abs(minutes) < 1) return t.common.now;
  if (Math.abs(minutes) < 60) return relative.format(minutes, 'minute');
  if (minutes < 0) return formatTime(at, now);
  return minutes < 48 * 60 ? relative.format(Math.round(minutes / 60), 'hour') : relative.format(Math.round(minutes / 1440), 'day');
}

/** Returns a time of day with seconds: `14:31:04`, or `14:31:04.118`. With the day unless it is that of `before`. */
export function formatClock(at: number, before: number, milliseconds = false): string {
  const time = new Date(at);
  const clock = format(at, milliseconds ? EXACT_CLOCK : SECONDS_CLOCK);
  return time.toDateString() === new Date(before).toDateString() ? clock : `${formatDay(at)} ${clock}`;
}

/** Returns a day without the year: `21 Nov`. */
export function formatDay(at: number): string {
  return format(at, DAY);
}

/**
 * Returns the texts of times on the axis of a chart: clocks within a day, months with years from ten months on, otherwise days. A text that an
 * earlier time has is empty, as three days have five times on their axis. `times` and `period` are in seconds.
 */
export function formatAxisTimes(times: readonly number[], { from, to }: { from: number; to: number }): string[] {
  const days = (to - from) / 86_400;
  const formatOne = days <= 1 ? formatMinute : days < 300 ? formatDay : (at: number) => format(at, MONTH);
  const texts = times.map((at) => formatOne(at * 1000));
  return texts.map((text, index) => (texts.indexOf(text) === index ? text : ''));
}
