import { performance } from 'node:perf_hooks';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { StartRate } from '../../src/features/webhooks/start-rate.ts';

/** The time of the process, which the tests set: how long the event loop was busy and idle. */
const loop = { active: 0, idle: 0 };

beforeEach(() => {
  Object.assign(loop, { active: 0, idle: 0 });
  vi.spyOn(performance, 'now').mockImplementation(() => loop.active + loop.idle);
  vi.spyOn(performance, 'eventLoopUtilization').mockImplementation((now, before) => {
    const [active, idle] = [loop.active - (before?.active ?? 0), loop.idle - (before?.idle ?? 0)];
    void now;
    return { active, idle, utilization: active / (active + idle || 1) };
  });
  return () => vi.restoreAllMocks();
});

/** Lets time pass, of which the event loop is busy for a share. */
function pass(ms: number, busyShare: number): void {
  loop.active += ms * busyShare;
  loop.idle += ms * (1 - busyShare);
}

/** Returns how many deliveries begin in a number of milliseconds. */
function begun(rate: StartRate, ms: number, busyShare: number): number {
  let count = 0;
  for (let passed = 0; passed < ms; passed += 1) {
    pass(1, busyShare);
    while (rate.take() === 0) count += 1;
  }
  return count;
}

describe('the rate at which deliveries begin', () => {
  it('is a hundred per second at first, and the wait until the next one is exact', () => {
    const rate = new StartRate();
    expect(rate.perSecond).toBe(100);
    expect(rate.take()).toBe(0);
    const waitMs = rate.take();
    expect(waitMs).toBe(10);
    pass(waitMs, 0.85);
    expect(rate.take()).toBe(0);
  });

  it('stays while the event loop is neither busy nor free', () => {
    const rate = new StartRate();
    const count = begun(rate, 3000, 0.85);
    expect(rate.perSecond).toBe(100);
    expect(count).toBeGreaterThanOrEqual(299);
    expect(count).toBeLessThanOrEqual(301);
  });

  it('rises to a thousand per second while the event loop is free', () => {
    const rate = new StartRate();
    begun(rate, 1000, 0.5);
    expect(rate.perSecond).toBe(1000);
    expect(rate.isLow).toBe(false);
    expect(begun(rate, 1000, 0.5)).toBeGreaterThan(990);
  });

  it('falls to twenty per second while the event loop is busy, and recovers', () => {
    const rate = new StartRate();
    begun(rate, 500, 0.95);
    expect(rate.perSecond).toBe(20);
    expect(rate.isLow).toBe(true);
    expect(begun(rate, 1000, 0.95)).toBeLessThanOrEqual(21);
    begun(rate, 1000, 0.1);
    expect(rate.isLow).toBe(false);
  });

  it('recovers also while no delivery begins, because slow receivers occupy all slots', () => {
    const rate = new StartRate();
    begun(rate, 500, 0.95);
    expect(rate.perSecond).toBe(20);
    for (let passed = 0; passed < 1000; passed += 100) {
      pass(100, 0.1);
      void rate.perSecond;
    }
    expect(rate.isLow).toBe(false);
  });

  it('changes at most once in a tenth of a second', () => {
    const rate = new StartRate();
    begun(rate, 99, 0.1);
    expect(rate.perSecond).toBe(100);
    begun(rate, 2, 0.1);
    expect(rate.perSecond).toBe(140);
    begun(rate, 98, 0.1);
    expect(rate.perSecond).toBe(140);
  });

  it('does not collect permissions: after a pause, at most a twentieth of a second begins at once', () => {
    const rate = new StartRate();
    pass(60_000, 0.85);
    let count = 0;
    while (rate.take() === 0) count += 1;
    expect(count).toBe(5);
  });
});
