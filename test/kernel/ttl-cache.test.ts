import { describe, expect, it } from 'vitest';
import { TtlCache } from '../../src/core/kernel/ttl-cache.ts';

describe('a cache with a time to live', () => {
  const cache = () => new TtlCache<string>({ maxAgeMs: 60_000, maxSize: 10 });

  it('shares one read of a key among all calls that arrive during it', async () => {
    const known = cache();
    let loads = 0;
    const load = async () => `load ${++loads}`;
    expect(await Promise.all([known.get('a', load), known.get('a', load), known.get('a', load)])).toEqual(['load 1', 'load 1', 'load 1']);
    expect(loads).toBe(1);
  });

  it('does not share the result of a read that found nothing with later calls', async () => {
    const known = cache();
    const early = Promise.withResolvers<undefined>();
    const before = known.get('a', () => early.promise);
    const after = known.get('a', async () => 'made meanwhile');
    early.resolve(undefined);
    expect(await Promise.all([before, after])).toEqual([undefined, 'made meanwhile']);
  });

  it('reads again after a read that failed', async () => {
    const known = cache();
    const failing = known.get('a', () => Promise.reject(new Error('away')));
    await expect(failing).rejects.toThrow('away');
    expect(await known.get('a', async () => 'here')).toBe('here');
  });
});
