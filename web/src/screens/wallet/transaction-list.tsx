import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { useIsPhone } from '../../parts/use-is-phone.ts';
import { t } from '../../texts/texts.ts';
import { FilterBar, type WalletFilter } from './filter-bar.tsx';
import { isFiltered } from './filters.ts';
import { TransactionTable } from './transaction-table.tsx';
import type { ShownTransactions } from './transactions-card.tsx';

export interface TransactionListProps {
  readonly list: ShownTransactions;
  /** The wallet of all transactions of the screen; undefined for those of several wallets. */
  readonly walletId?: string;
  /** The filter by wallet, of a list of several wallets. */
  readonly wallet?: WalletFilter;
}

/** The filters and the rows of a page of transactions. */
export function TransactionList({ list, walletId, wallet }: TransactionListProps) {
  const { page, filters, filter, after } = list;
  const isNarrow = isFiltered(filters) || (wallet !== undefined && wallet.id !== '');
  /** On a phone, the card of a wallet has a button for filters. */
  const hasBar = !useIsPhone() || wallet !== undefined || isNarrow;
  return (
    <>
      {hasBar && <FilterBar filters={filters} wallet={wallet} onChange={filter} />}
      <Loaded resource={page} skeleton={<SkeletonRows count={8} />}>
        {({ items, next }) =>
          items.length === 0 ? (
            <NoTransactions isNarrow={isNarrow} hasMore={next !== undefined} onClear={() => filter(NO_FILTERS)} />
          ) : (
            <TransactionTable
              key={`${walletId} ${wallet?.id} ${after} ${JSON.stringify(filters)}`}
              walletId={walletId}
              transactions={items}
              hasFees={filters.type === 'network_fee'}
              isFirstPage={after === undefined}
            />
          )
        }
      </Loaded>
    </>
  );
}

const NO_FILTERS = { status: undefined, type: undefined, from: undefined, to: undefined, label: undefined, wallet: undefined };

function NoTransactions({ isNarrow, hasMore, onClear }: { isNarrow: boolean; hasMore: boolean; onClear: () => void }) {
  if (!isNarrow)
    return (
      <Empty icon="activity" title={t.wallet.emptyTitle}>
        {t.wallet.empty}
      </Empty>
    );
  return (
    <Empty icon="filter" title={t.wallet.noMatchTitle} action={<Button onClick={onClear}>{t.wallet.clearFilters}</Button>}>
      {hasMore ? t.wallet.noMatchSoFar : t.wallet.noMatch}
    </Empty>
  );
}
