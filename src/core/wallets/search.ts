import type { Wallet, Wallets } from './wallets.ts';

/** Undefined matches everything. */
export interface WalletSearch {
  /** A part of the label; case is ignored. */
  readonly label?: string | undefined;
  readonly status?: Wallet['status'] | undefined;
}

export interface FoundWallets {
  readonly wallets: readonly Wallet[];
  /** The id after which the search continues; undefined at its end. */
  readonly next: string | undefined;
}

const PIECE = 1000;
const MAX_SEARCHED = 20_000;
/** Sorts after every id. */
const NO_ID = 'wal_~';

/** Searches the wallets of an account, newest first, after `afterId`. Labels have no index, so it reads piece by piece, 20,000 at most. */
export async function searchWallets(
  { listAfter }: Pick<Wallets, 'listAfter'>,
  accountId: string,
  search: WalletSearch,
  { limit, afterId = NO_ID }: { limit: number; afterId?: string | undefined },
): Promise<FoundWallets> {
  const isMatch = matcherOf(search);
  const found: Wallet[] = [];
  let after = afterId;
  for (let searched = 0; searched < MAX_SEARCHED; searched += PIECE) {
    const piece = await listAfter(accountId, PIECE, after);
    for (const wallet of piece.filter(isMatch)) {
      if (found.length === limit) return { wallets: found, next: found.at(-1)?.id };
      found.push(wallet);
    }
    const last = piece.at(-1);
    if (!last || piece.length < PIECE) return { wallets: found, next: undefined };
    after = last.id;
  }
  return { wallets: found, next: after };
}

/** Not in SQL, because databases differ in what they consider the same letter. */
function matcherOf({ label, status }: WalletSearch): (wallet: Wallet) => boolean {
  const part = label?.toLowerCase();
  return (wallet) =>
    (part === undefined || wallet.userLabel.toLowerCase().includes(part)) && (status === undefined || wallet.status === status);
}
