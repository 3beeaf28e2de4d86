import { expect, it, vi } from 'vitest';
import type { SqlReader } from '../../src/core/db/database.ts';
import { Placement } from '../../src/core/wallets/placement.ts';

/** Places wallets on nodes with these numbers of wallets. Returns the placement and the nodes that it has called. */
function placementOn(counts: Readonly<Record<string, number>>, away: ReadonlySet<string> = new Set()) {
  const called: string[] = [];
  const rows = Object.entries(counts).map(([id, n]) => ({ id, n }));
  const database = { all: async () => rows } as unknown as SqlReader;
  const placement = new Placement(database, async (id) => {
    called.push(id);
    return !away.has(id);
  });
  return { placement, called };
}

async function chooseTimes(placement: Placement, times: number): Promise<string[]> {
  const chosen: string[] = [];
  for (let i = 0; i < times; i++) chosen.push(await placement.choose());
  return chosen;
}

it('chooses the node with the fewest wallets, and the first of equal ones', async () => {
  const { placement } = placementOn({ a: 2, b: 0, c: 1 });
  expect(await chooseTimes(placement, 6)).toEqual(['b', 'b', 'c', 'a', 'b', 'c']);
});

it('chooses no node that is away while another one answers, and does not wait for it at each choice', async () => {
  const { placement, called } = placementOn({ a: 9, b: 0, c: 10 }, new Set(['b']));
  expect(await chooseTimes(placement, 3)).toEqual(['a', 'a', 'c']);
  expect(called.filter((id) => id === 'b')).toHaveLength(1);
});

it('does not call a node again soon after a call that took longer than it is left out', async () => {
  const { placement, called } = placementOn({ a: 9, b: 0 }, new Set(['b']));
  let nowMs = 0;
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => (called.includes('b') ? nowMs + 20_000 : nowMs));
  try {
    expect(await chooseTimes(placement, 2)).toEqual(['a', 'a']);
    expect(called).toEqual(['b', 'a', 'a']);
    nowMs = 10_000;
    await placement.choose();
    expect(called).toEqual(['b', 'a', 'a', 'b', 'a']);
  } finally {
    spy.mockRestore();
  }
});

it('chooses by the number of wallets if no node answers', async () => {
  const { placement } = placementOn({ a: 1, b: 0 }, new Set(['a', 'b']));
  expect(await chooseTimes(placement, 2)).toEqual(['b', 'a']);
});

it('does not call an only node', async () => {
  const { placement, called } = placementOn({ a: 1 }, new Set(['a']));
  expect(await chooseTimes(placement, 2)).toEqual(['a', 'a']);
  expect(called).toEqual([]);
});

it('rejects new wallets while all nodes are draining', async () => {
  await expect(placementOn({}).placement.choose()).rejects.toMatchObject({ type: 'not_supported' });
});
