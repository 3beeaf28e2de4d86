import { type SourceHistoryRow, type SourceWallet, UnusableSource } from './source.ts';

/** A wallet with its rows. They must be read to the end before the next wallet. */
export interface WalletWithHistory {
  readonly wallet: SourceWallet;
  readonly history: AsyncIterable<SourceHistoryRow>;
}

/**
 * Joins wallets and history, which have the same order, so that neither is kept in memory.
 * @throws UnusableSource if a row belongs to no wallet, or if the order is wrong
 */
export async function* mergeHistory(
  wallets: AsyncIterable<SourceWallet>,
  history: AsyncIterable<SourceHistoryRow>,
): AsyncIterable<WalletWithHistory> {
  const rows = history[Symbol.asyncIterator]();
  let next = await rows.next();
  let previous: string | undefined;

  async function* rowsOf(walletId: string): AsyncIterable<SourceHistoryRow> {
    while (!next.done && next.value.walletId === walletId) {
      yield next.value;
      next = await rows.next();
    }
  }

  for await (const wallet of wallets) {
    if (previous !== undefined && wallet.id <= previous)
      throw new UnusableSource(`The source has the wallet ${wallet.id} twice, or in a wrong order.`);
    previous = wallet.id;
    if (!next.done && next.value.walletId < wallet.id) throw orphan(next.value);
    const own = rowsOf(wallet.id);
    yield { wallet, history: own };
    for await (const _ of own);
  }
  if (!next.done) throw orphan(next.value);
}

function orphan({ id, walletId }: SourceHistoryRow): UnusableSource {
  return new UnusableSource(
    `The row ${id} belongs to the wallet ${walletId}, which the source does not have. Restore the wallet, or delete the row.`,
  );
}
