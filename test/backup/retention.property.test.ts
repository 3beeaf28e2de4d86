import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expiredTimes } from '../../src/features/backup/retention.ts';

const HOUR = 3600;
const time = fc.integer({ min: 1_700_000_000, max: 1_700_000_000 + 500 * 24 * HOUR });
const retention = fc.record({ hours: fc.nat(30), days: fc.nat(20), months: fc.nat(14) });

describe('which backups are kept', () => {
  it('keeps the newest backup, whatever the retention', () => {
    fc.assert(
      fc.property(fc.uniqueArray(time, { minLength: 1, maxLength: 200 }), retention, (times, keep) => {
        expect(expiredTimes(times, keep)).not.toContain(Math.max(...times));
      }),
    );
  });

  it('keeps at most one backup per hour, day and month that counts, and the newest', () => {
    fc.assert(
      fc.property(fc.uniqueArray(time, { maxLength: 200 }), retention, (times, keep) => {
        const kept = times.length - expiredTimes(times, keep).size;
        expect(kept).toBeLessThanOrEqual(Math.max(1, keep.hours + keep.days + keep.months));
      }),
    );
  });

  it('keeps the newest backup of each of the last days, when there is one per hour', () => {
    const hours = Array.from({ length: 24 * 40 }, (_, i) => Date.UTC(2026, 0, 1) / 1000 + i * HOUR);
    const expired = expiredTimes(hours, { hours: 24, days: 14, months: 12 });
    const kept = hours.filter((one) => !expired.has(one)).map((one) => new Date(one * 1000).toISOString().slice(0, 13));
    // 40 days from 1 January: the last day hour by hour, and the 13 days before, among them the last day of January.
    expect(kept).toHaveLength(24 + 13);
    expect(kept.slice(0, 2)).toEqual(['2026-01-27T23', '2026-01-28T23']);
  });

  it('deletes no more when it runs again', () => {
    fc.assert(
      fc.property(fc.uniqueArray(time, { maxLength: 200 }), retention, (times, keep) => {
        const expired = expiredTimes(times, keep);
        expect(
          expiredTimes(
            times.filter((one) => !expired.has(one)),
            keep,
          ).size,
        ).toBe(0);
      }),
    );
  });
});
