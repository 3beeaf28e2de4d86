import type { List, ListPage, ListPart } from '../kernel/list.ts';
import { PER_TURN, takeTurn } from '../kernel/turns.ts';
import type { Wallet } from './wallets.ts';

/** Undefined matches everything. */
export interface WalletSearch {
  /** A part of the label; case is ignored. */
  readonly label?: string | undefined;
  readonly status?: Wallet['status'] | undefined;
}

const MAX_SEARCHED = 20_000;

/**
 * Returns the wallets of a list that match. Labels have no index, so a page reads the list piece by piece, 20,000 wallets at most. A page that
 * reaches that limit is short, and the list continues after it.
 */
export function searchList(all: List<Wallet>, { label, status }: WalletSearch): List<Wallet> {
  if (label === undefined && status === undefined) return all;
  const part = label?.toLowerCase();
  // Not in SQL, because databases differ in what they consider the same letter.
  const isMatch = (wallet: Wallet) =>
    (part === undefined || wallet.userLabel.toLowerCase().includes(part)) && (status === undefined || wallet.status === status);

  async function readPage({ limit, order, after }: ListPart): Promise<ListPage<Wallet>> {
    const items: Wallet[] = [];
    let last = after;
    for (let searched = 0; searched < MAX_SEARCHED; searched += PER_TURN.scannedRows) {
      const piece = await all.readPage({ limit: PER_TURN.scannedRows, order, after: last });
      for (const wallet of piece.items.filter(isMatch)) {
        if (items.length === limit) return { items, next: items.at(-1)?.id };
        items.push(wallet);
      }
      if (piece.next === undefined) return { items, next: undefined };
      last = piece.next;
      await takeTurn();
    }
    return { items, next: last };
  }

  return { readPage, count: async (max) => (await readPage({ limit: max, order: 'desc' })).items.length };
}
