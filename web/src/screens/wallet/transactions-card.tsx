import { useRef } from 'preact/hooks';
import { LinkButton } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { ListFooter } from '../../parts/pages.tsx';
import { useFilters } from '../../parts/use-filters.ts';
import { useIsPhone } from '../../parts/use-is-phone.ts';
import { t } from '../../texts/texts.ts';
import { FilterButton } from './filter-bar.tsx';
import { readFilters } from './filters.ts';
import { Live } from './live.tsx';
import { TransactionList } from './transaction-list.tsx';
import { PER_PAGE, type TransactionOwner, useTransactionCount, useTransactions } from './use-transactions.ts';

/** The transactions of a wallet, with filters, pages and the open row in the address. */
export function TransactionsCard({ walletId }: { walletId: string }) {
  const list = useTransactionList({ walletId });
  const isPhone = useIsPhone();
  return (
    <Card
      class="transactions"
      title={
        <span class="row" ref={list.heading}>
          {t.wallet.transactions} <Live />
        </span>
      }
      actions={
        isPhone ? (
          <FilterButton filters={list.filters} wallet={undefined} onChange={list.filter} />
        ) : (
          <LinkButton size="small" icon="download" href={`/wallets/${walletId}/statement`}>
            {t.wallet.statement}
          </LinkButton>
        )
      }
      footer={list.footer}
    >
      <TransactionList list={list} walletId={walletId} />
    </Card>
  );
}

export type ShownTransactions = ReturnType<typeof useTransactionList>;

/** Reads the page of transactions that the address names: `?status=&type=&from=&to=&label=&min=&max=&after=&page=`. */
export function useTransactionList(owner: TransactionOwner) {
  const [parameters, change] = useFilters();
  const filters = readFilters(parameters);
  const after = parameters.get('after') ?? undefined;
  const depth = after === undefined ? 0 : Math.max(1, (Number(parameters.get('page')) || 2) - 1);
  const page = useTransactions(owner, filters, after);
  const count = useTransactionCount(owner, filters, page.data);
  const heading = useRef<HTMLDivElement>(null);
  /** The cursors of the pages before this one, newest first; empty after a reload. */
  const newer = useRef<string[]>([]);

  function turnTo(cursor: string | undefined, number: number) {
    change({ tx: undefined, after: cursor, page: cursor && String(number) }, { isPage: true });
    heading.current?.scrollIntoView({ block: 'start' });
  }

  const pages = {
    depth,
    isFirst: after === undefined,
    /** Without the cursors of the pages before this one, the newest page. */
    newerLabel: depth > newer.current.length + 1 ? t.wallet.newest : t.wallet.newer,
    newer: () => turnTo(newer.current.pop(), depth),
    older(cursor: string) {
      if (after !== undefined) newer.current.push(after);
      turnTo(cursor, depth + 2);
    },
  };
  return {
    page,
    filters,
    after,
    heading,
    /** Changes filters, which begin at the first page. */
    filter: (changes: Record<string, string | undefined>) => change({ tx: undefined, after: undefined, page: undefined, ...changes }),
    count,
    footer: (
      <ListFooter
        pages={pages}
        page={page.data && { ...page.data, total: count?.total, isCapped: count?.isCapped ?? false }}
        perPage={PER_PAGE}
      />
    ),
  };
}
