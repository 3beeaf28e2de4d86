import { useRef } from 'preact/hooks';
import { useLiveState } from '../../api/live.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { useFilters } from '../../parts/use-filters.ts';
import { t } from '../../texts/texts.ts';
import { FilterBar } from './filter-bar.tsx';
import { type Filters, isFiltered, readFilters } from './filters.ts';
import { TransactionTable } from './transaction-table.tsx';
import { useTransactions } from './use-transactions.ts';

/** The transactions of a wallet, with filters, pages and the open row in the address. */
export function TransactionsCard({ walletId }: { walletId: string }) {
  const [parameters, change] = useFilters();
  const filters = readFilters(parameters);
  const after = parameters.get('after') ?? undefined;
  const page = useTransactions(walletId, filters, after);
  const heading = useRef<HTMLDivElement>(null);
  /** The cursors of the pages before this one, newest first; empty after a reload. */
  const newer = useRef<string[]>([]);

  const filter = (changes: Record<string, string | undefined>) => change({ tx: undefined, after: undefined, ...changes });

  function turnTo(cursor: string | undefined) {
    change({ tx: undefined, after: cursor }, { isPage: true });
    heading.current?.scrollIntoView({ block: 'start' });
  }

  return (
    <Card
      class="transactions"
      title={
        <span class="row" ref={heading}>
          {t.wallet.transactions} <Live />
        </span>
      }
      actions={
        <LinkButton size="small" icon="download" href={`/wallets/${walletId}/statement`}>
          {t.wallet.statement}
        </LinkButton>
      }
      footer={
        page.data?.next !== undefined || after !== undefined ? (
          <>
            <Button size="small" class="push" disabled={after === undefined} onClick={() => turnTo(newer.current.pop())}>
              {newer.current.length > 0 || after === undefined ? t.wallet.newer : t.wallet.newest}
            </Button>
            <Button
              size="small"
              disabled={page.data?.next === undefined}
              onClick={() => {
                if (after !== undefined) newer.current.push(after);
                turnTo(page.data?.next);
              }}
            >
              {t.wallet.older}
            </Button>
          </>
        ) : undefined
      }
    >
      <FilterBar filters={filters} onChange={filter} />
      <Loaded resource={page} skeleton={<SkeletonRows count={8} />}>
        {({ items, next }) =>
          items.length === 0 ? (
            <NoTransactions filters={filters} hasMore={next !== undefined} onClear={() => filter(NO_FILTERS)} />
          ) : (
            <TransactionTable
              key={`${walletId} ${after} ${JSON.stringify(filters)}`}
              walletId={walletId}
              transactions={items}
              hasFees={filters.type === 'network_fee'}
              isFirstPage={after === undefined}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

const NO_FILTERS = { status: undefined, type: undefined, from: undefined, to: undefined, label: undefined };

function NoTransactions({ filters, hasMore, onClear }: { filters: Filters; hasMore: boolean; onClear: () => void }) {
  if (!isFiltered(filters))
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

function Live() {
  if (useLiveState() !== 'live') return null;
  return (
    <span class="live tiny faint">
      <Icon name="lightning" size={15} />
      {t.wallet.live}
    </span>
  );
}
