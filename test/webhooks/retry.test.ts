import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LONGEST_WAIT_MS, nextAttemptMs, RETRY_SECONDS } from '../../src/features/webhooks/deliveries.ts';

const FIRST = 1_700_000_000_000;
const END = FIRST + RETRY_SECONDS * 1000;

describe('the next attempt of a delivery', () => {
  it('is at least a second and at most the doubled wait later, never more than eight hours, and not after three days', () => {
    const attempts = fc.integer({ min: 1, max: 100 });
    const passed = fc.integer({ min: 0, max: RETRY_SECONDS * 1000 - 1 });
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(attempts, passed, random, (count, passedMs, share) => {
        const now = FIRST + passedMs;
        const next = nextAttemptMs(FIRST, now, count, () => share) ?? 0;
        expect(next).toBeGreaterThanOrEqual(Math.min(now + 1000, END));
        expect(next).toBeLessThanOrEqual(now + Math.max(1000, Math.min(10_000 * 2 ** (count - 1), LONGEST_WAIT_MS)));
        expect(next).toBeLessThanOrEqual(END);
      }),
    );
  });

  it('does not exist three days after the first one', () => {
    expect(nextAttemptMs(FIRST, END - 1, 20)).toBe(END);
    expect(nextAttemptMs(FIRST, END, 20)).toBeUndefined();
  });

  it('comes about thirty times in three days', () => {
    let [now, attempts] = [FIRST, 1];
    for (let next = nextAttemptMs(FIRST, now, 1, () => 0.5); next !== undefined; next = nextAttemptMs(FIRST, now, attempts, () => 0.5)) {
      now = next;
      attempts += 1;
    }
    expect(attempts).toBeGreaterThan(20);
    expect(attempts).toBeLessThan(40);
    expect(now).toBe(END);
  });
});
