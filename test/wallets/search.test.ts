import { expect, it } from 'vitest';
import type { List } from '../../src/core/kernel/list.ts';
import { searchList } from '../../src/core/wallets/search.ts';
import type { Wallet } from '../../src/core/wallets/wallets.ts';

const wallets = Array.from({ length: 25_000 }, (_, index) => ({
  id: `wal_${String(99_999 - index)}`,
  userLabel: index === 24_999 ? 'rare' : `user ${index}`,
  status: 'active',
})) as unknown as Wallet[];

const all: List<Wallet> = {
  async readPage({ limit, after = 'wal_~' }) {
    const items = wallets.filter(({ id }) => id < after).slice(0, limit);
    return { items, next: items.length === limit ? items.at(-1)?.id : undefined };
  },
  count: async () => wallets.length,
};

it('looks at 20,000 wallets per request and continues there', async () => {
  const found = searchList(all, { label: 'Rare' });
  const first = await found.readPage({ limit: 10, order: 'desc' });
  expect(first).toEqual({ items: [], next: wallets[19_999]?.id });
  expect(await found.readPage({ limit: 10, order: 'desc', after: first.next })).toEqual({ items: [wallets[24_999]], next: undefined });
});

it('ends without a next page when the last match is on the page', async () => {
  const found = await searchList(all, { label: 'user 2499' }).readPage({ limit: 9, order: 'desc', after: wallets[20_000]?.id });
  expect(found.items).toHaveLength(9);
  expect(found.next).toBeUndefined();
});

it('counts matches up to a maximum', async () => {
  expect(await searchList(all, { label: 'user 1' }).count(7)).toBe(7);
  expect(await searchList(all, { label: 'user 12345' }).count(7)).toBe(1);
});
