import { describe, expect, it } from 'vitest';
import { formatAxisTimes, formatClock, formatExactTime, formatRelativeTime, formatTime } from '../../web/src/parts/format-time.ts';

/** In the time zone of the machine, as the dashboard shows times in that of the browser. */
function local(year: number, month: number, day: number, hours = 0, minutes = 0, seconds = 0, milliseconds = 0): number {
  return new Date(year, month - 1, day, hours, minutes, seconds, milliseconds).getTime();
}

const NOW = local(2026, 11, 22, 14, 45);
const MINUTE = 60_000;

describe('a time in a list', () => {
  it('is a clock today, a day with clock this year, and a day before', () => {
    expect(formatTime(local(2026, 11, 22, 14, 31), NOW)).toBe('Today 14:31');
    expect(formatTime(local(2026, 11, 22, 0, 0), NOW)).toBe('Today 00:00');
    expect(formatTime(local(2026, 11, 21, 23, 59), NOW)).toBe('21 Nov 23:59');
    expect(formatTime(local(2026, 1, 1, 0, 5), NOW)).toBe('1 Jan 00:05');
    expect(formatTime(local(2025, 12, 31, 20, 40), NOW)).toBe('31 Dec 2025');
  });

  it('is relative only under an hour when it has passed', () => {
    expect(formatRelativeTime(NOW - 20_000, NOW)).toBe('Now');
    expect(formatRelativeTime(NOW - 2 * MINUTE, NOW)).toBe('2 min ago');
    expect(formatRelativeTime(NOW - 59 * MINUTE, NOW)).toBe('59 min ago');
    expect(formatRelativeTime(NOW - 60 * MINUTE, NOW)).toBe('Today 13:45');
  });

  it('is relative when it is to come', () => {
    expect(formatRelativeTime(NOW + 24 * MINUTE, NOW)).toBe('in 24 min');
    expect(formatRelativeTime(NOW + 9 * 24 * 60 * MINUTE, NOW)).toBe('in 9 days');
  });
});

describe('an exact time', () => {
  const at = local(2026, 11, 22, 14, 31, 4, 118);

  it('has seconds and zone', () => {
    expect(formatExactTime(at)).toMatch(/^22 Nov 2026(,| at) 14:31:04 \S+/);
    expect(formatExactTime(at, true)).toContain('14:31:04.118');
  });

  it('has its day in a timeline only where the day changes', () => {
    expect(formatClock(at, NOW)).toBe('14:31:04');
    expect(formatClock(at, NOW, true)).toBe('14:31:04.118');
    expect(formatClock(at, local(2026, 11, 21, 23, 59))).toBe('22 Nov 14:31:04');
  });
});

describe('the axis of a chart', () => {
  const axis = (days: number) => {
    const from = local(2026, 11, 14, 9, 30) / 1000;
    const length = days * 86_400;
    return formatAxisTimes(
      [0, 0.25, 0.5, 0.75].map((part) => from + part * length),
      { from, to: from + length },
    );
  };

  it('has clocks for a day, days for a month, and months for a year', () => {
    expect([1, 30, 365].map((days) => axis(days)[0])).toEqual(['09:30', '14 Nov', 'Nov 2026']);
  });

  it.each([0.01, 1, 1.5, 2, 3, 4, 30, 299, 300, 365])('has no text twice in %d days', (days) => {
    const texts = axis(days).filter((text) => text !== '');
    expect(texts.length).toBeGreaterThan(1);
    expect(new Set(texts).size).toBe(texts.length);
  });
});
