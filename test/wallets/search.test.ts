import { expect, it } from 'vitest';
import { searchWallets } from '../../src/core/wallets/search.ts';
import type { Wallet } from '../../src/core/wallets/wallets.ts';

const wallets = Array.from({ length: 25_000 }, (_, index) => ({
  id: `wal_${String(99_999 - index)}`,
  userLabel: index === 24_999 ? 'rare' : `user ${index}`,
  status: 'active',
})) as unknown as Wallet[];

const listAfter = async (_account: string, limit: number, after: string) => wallets.filter(({ id }) => id < after).slice(0, limit);

it('looks at 20,000 wallets per request and continues there', async () => {
  const first = await searchWallets({ listAfter }, 'acc', { label: 'Rare' }, { limit: 10 });
  expect(first).toEqual({ wallets: [], next: wallets[19_999]?.id });
  const second = await searchWallets({ listAfter }, 'acc', { label: 'Rare' }, { limit: 10, afterId: first.next });
  expect(second).toEqual({ wallets: [wallets[24_999]], next: undefined });
});

it('ends without a next page when the last match is on the page', async () => {
  const found = await searchWallets({ listAfter }, 'acc', { label: 'user 2499' }, { limit: 9, afterId: wallets[20_000]?.id });
  expect(found.wallets).toHaveLength(9);
  expect(found.next).toBeUndefined();
});
