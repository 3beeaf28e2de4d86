import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { formatSats } from '../../parts/format-amount.ts';
import { lazy } from '../../parts/lazy.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { useIsPhone } from '../../parts/use-is-phone.ts';
import { filterTexts } from '../../texts/en-filters.ts';
import { t } from '../../texts/texts.ts';
import { FilterBar, type WalletFilter } from './filter-bar.tsx';
import { isFiltered, searchedSats } from './filters.ts';
import { TransactionTable } from './transaction-table.tsx';
import type { ShownTransactions } from './transactions-card.tsx';

const PlaygroundFund = lazy(() => import('./playground-fund.tsx').then((file) => file.PlaygroundFund));

export interface TransactionListProps {
  readonly list: ShownTransactions;
  /** The wallet of all transactions of the screen; undefined for those of several wallets. */
  readonly walletId?: string;
  /** The filter by wallet, of a list of several wallets. */
  readonly wallet?: WalletFilter;
  /** By default the filters stand above the rows, except those of a wallet on a phone, whose card has a button for them. */
  readonly hasBar?: boolean;
}

/** The filters and the rows of a page of transactions. */
export function TransactionList({ list, walletId, wallet, hasBar }: TransactionListProps) {
  const { page, filters, filter, after } = list;
  const isNarrow = isFiltered(filters) || (wallet !== undefined && wallet.id !== '');
  const isPhone = useIsPhone();
  return (
    <>
      {(hasBar ?? (!isPhone || isNarrow)) && <FilterBar filters={filters} wallet={wallet} onChange={filter} />}
      <Loaded resource={page} skeleton={<SkeletonRows count={8} />}>
        {({ items, next }) =>
          items.length === 0 ? (
            <NoTransactions walletId={walletId} isNarrow={isNarrow} hasMore={next !== undefined} text={filters.label} onFilter={filter} />
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

const NO_FILTERS = {
  status: undefined,
  type: undefined,
  from: undefined,
  to: undefined,
  label: undefined,
  min: undefined,
  max: undefined,
  wallet: undefined,
};

interface NoTransactionsProps {
  readonly walletId: string | undefined;
  readonly isNarrow: boolean;
  readonly hasMore: boolean;
  /** What was searched in labels. */
  readonly text: string | undefined;
  readonly onFilter: (changes: Record<string, string | undefined>) => void;
}

function NoTransactions({ walletId, isNarrow, hasMore, text, onFilter }: NoTransactionsProps) {
  if (!isNarrow)
    return (
      <Empty icon="activity" title={t.wallet.emptyTitle} action={walletId !== undefined && <PlaygroundFund walletId={walletId} />}>
        {t.wallet.empty}
      </Empty>
    );
  const sats = text === undefined ? undefined : searchedSats(text);
  const actions = (
    <>
      {sats !== undefined && (
        <Button kind="primary" onClick={() => onFilter({ label: undefined, min: String(sats), max: String(sats) })}>
          {filterTexts.lookForAmount(formatSats(sats))}
        </Button>
      )}
      <Button onClick={() => onFilter(NO_FILTERS)}>{t.wallet.clearFilters}</Button>
    </>
  );
  return (
    <Empty icon="filter" title={t.wallet.noMatchTitle} action={actions}>
      {hasMore ? t.wallet.noMatchSoFar : t.wallet.noMatch}
    </Empty>
  );
}
