import { Fragment } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { api, type WalletTransaction } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useShortcuts } from '../../frame/shortcuts.ts';
import { Button } from '../../parts/button.tsx';
import { useFilters } from '../../parts/use-filters.ts';
import { t } from '../../texts/texts.ts';
import { textOfDay } from './filters.ts';
import { foldFees, groupByDay, type Row } from './rows.ts';
import { TransactionDetails } from './transaction-details.tsx';
import { TransactionRow } from './transaction-row.tsx';
import { useHeldList } from './use-transactions.ts';

export interface TransactionTableProps {
  readonly walletId: string;
  readonly transactions: readonly WalletTransaction[];
  /** Fees have rows of their own. */
  readonly hasFees: boolean;
  /** Only the first page gets new transactions. */
  readonly isFirstPage: boolean;
}

/** The rows of a page. They stay in place while a row is open or the reader has scrolled; then a chip counts what is new. */
export function TransactionTable({ walletId, transactions, hasFees, isFirstPage }: TransactionTableProps) {
  const [parameters, change] = useFilters();
  const openId = parameters.get('tx');
  const top = useRef<HTMLDivElement>(null);
  const isScrolled = useIsAbove(top);
  const { shown, newCount, release } = useHeldList(transactions, isFirstPage && (isScrolled || openId !== null));
  const selected = useOtherTransaction(openId, shown);
  const groups = groupByDay(hasFees ? shown.map((transaction) => ({ transaction, fee: undefined })) : foldFees(shown));

  const toggle = (id: string) => change({ tx: id === openId ? undefined : id });

  function showNew() {
    release();
    top.current?.scrollIntoView({ block: 'center' });
  }

  useRowKeys();
  return (
    <>
      <div ref={top} class="new-rows" role="status">
        {newCount > 0 && (
          <Button size="small" icon="refresh" onClick={showNew}>
            {t.wallet.newCount(newCount)}
          </Button>
        )}
      </div>
      <table class="table">
        <thead>
          <tr>
            <th>{t.wallet.transaction}</th>
            <th class="desktop-only">{t.wallet.time}</th>
            <th class="desktop-only">{t.wallet.status}</th>
            <th class="end">{t.wallet.amount}</th>
            <th class="end desktop-only">{t.wallet.balanceAfter}</th>
          </tr>
        </thead>
        {selected && (
          <tbody>
            <tr class="group">
              <td colSpan={5}>{t.wallet.selected}</td>
            </tr>
            <RowWithDetails row={{ transaction: selected, fee: undefined }} walletId={walletId} openId={openId} onToggle={toggle} />
          </tbody>
        )}
        {groups.map(({ day, rows }) => (
          <tbody key={day}>
            <tr class="group">
              <td colSpan={5}>{dayName(day)}</td>
            </tr>
            {rows.map((row) => (
              <RowWithDetails key={row.transaction.id} row={row} walletId={walletId} openId={openId} onToggle={toggle} />
            ))}
          </tbody>
        ))}
      </table>
    </>
  );
}

/** Reads the transaction that the address selects, if this page does not have it. */
function useOtherTransaction(id: string | null, shown: readonly WalletTransaction[]): WalletTransaction | undefined {
  const isOther = id !== null && !shown.some((one) => one.id === id);
  const { data } = useResource(isOther ? `transaction ${id}` : undefined, (signal) => api.transactions.get(id ?? '', {}, { signal }));
  return data;
}

interface RowWithDetailsProps {
  readonly row: Row;
  readonly walletId: string;
  readonly openId: string | null;
  readonly onToggle: (id: string) => void;
}

function RowWithDetails({ row, walletId, openId, onToggle }: RowWithDetailsProps) {
  const { id } = row.transaction;
  const isOpen = openId === id;
  return (
    <Fragment>
      <TransactionRow row={row} isOpen={isOpen} onToggle={() => onToggle(id)} />
      {isOpen && (
        <tr class="row-details" id={`details-${id}`}>
          <td colSpan={5}>
            <TransactionDetails row={row} walletId={walletId} />
          </td>
        </tr>
      )}
    </Fragment>
  );
}

function dayName(day: string): string {
  if (day === textOfDay(new Date())) return t.common.today;
  return new Date(`${day}T00:00:00`).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
}

/** Returns whether an element has been scrolled out above the visible part of the page. */
function useIsAbove(element: { readonly current: HTMLElement | null }): boolean {
  const [isAbove, setIsAbove] = useState(false);
  useEffect(() => {
    if (!element.current) return undefined;
    const observer = new IntersectionObserver(([entry]) => {
      if (entry) setIsAbove(!entry.isIntersecting && entry.boundingClientRect.top < 0);
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return isAbove;
}

/** J and K move the focus through the rows; Enter opens one, because its name is a button. */
function useRowKeys(): void {
  useShortcuts(useMemo(() => ({ j: () => moveFocus(1), k: () => moveFocus(-1) }), []));
}

function moveFocus(step: number): void {
  const names = [...document.querySelectorAll<HTMLElement>('.transactions .name')];
  const present = names.indexOf(document.activeElement as HTMLElement);
  const next = present === -1 ? 0 : Math.min(names.length - 1, Math.max(0, present + step));
  names[next]?.focus();
}
