import { Fragment } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { errorText } from '../../api/action.ts';
import { api, SatchelError, type WalletTransaction } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useShortcuts } from '../../frame/shortcuts.ts';
import { AmountName } from '../../parts/amount.tsx';
import { Button } from '../../parts/button.tsx';
import { formatDate } from '../../parts/format-time.ts';
import { useFilters } from '../../parts/use-filters.ts';
import { useIsAbove } from '../../parts/use-is-above.ts';
import { t } from '../../texts/texts.ts';
import { textOfDay } from './filters.ts';
import { foldFees, groupByDay, type Row } from './rows.ts';
import { TransactionDetails } from './transaction-details.tsx';
import { TransactionRow } from './transaction-row.tsx';
import { useHeldList } from './use-transactions.ts';

export interface TransactionTableProps {
  /** The wallet of all transactions. Without one, the rows name their wallets. */
  readonly walletId: string | undefined;
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
  const hasWallets = walletId === undefined;
  const top = useRef<HTMLDivElement>(null);
  const isScrolled = useIsAbove(top);
  const { shown, newCount, isMore, release } = useHeldList(transactions, isFirstPage && (isScrolled || openId !== null));
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
            {t.wallet.newCount(newCount, isMore)}
          </Button>
        )}
      </div>
      <table class="table">
        <thead>
          <tr>
            <th>{t.wallet.transaction}</th>
            {hasWallets && <th class="desktop-only">{t.wallet.title}</th>}
            <th class="desktop-only">{t.wallet.time}</th>
            <th class="desktop-only">{t.wallet.status}</th>
            <th class="end">
              <AmountName>{t.wallet.amount}</AmountName>
            </th>
            {!hasWallets && (
              <th class="end desktop-only">
                <AmountName>{t.wallet.balanceAfter}</AmountName>
              </th>
            )}
          </tr>
        </thead>
        {openId !== null && !isShown(groups, openId) && (
          <OpenedTransaction key={openId} id={openId} walletId={walletId} onClose={() => toggle(openId)} />
        )}
        {groups.map(({ day, rows }) => (
          <tbody key={day}>
            <tr class="group">
              <td colSpan={5}>{dayName(day)}</td>
            </tr>
            {rows.map((row) => (
              <RowWithDetails key={row.transaction.id} row={row} hasWallet={hasWallets} openId={openId} onToggle={toggle} />
            ))}
          </tbody>
        ))}
      </table>
    </>
  );
}

function isShown(groups: readonly { rows: readonly Row[] }[], id: string): boolean {
  return groups.some(({ rows }) => rows.some(({ transaction }) => transaction.id === id));
}

interface OpenedTransactionProps {
  readonly id: string;
  readonly walletId: string | undefined;
  readonly onClose: () => void;
}

/** The transaction in the address that is not on the page. */
function OpenedTransaction({ id, walletId, onClose }: OpenedTransactionProps) {
  const { data, error } = useResource(`transaction ${id}`, (signal) => api.transactions.get(id, {}, { signal }), {
    isAffected: ({ data: { wtx } }) => wtx?.id === id,
  });
  if (!data && error === undefined) return null;
  const isFound = data !== undefined && (walletId === undefined || data.wal.id === walletId);
  return (
    <tbody>
      <tr class="group">
        <td colSpan={5}>{t.wallet.selected}</td>
      </tr>
      {isFound ? (
        <RowWithDetails row={{ transaction: data, fee: undefined }} hasWallet={walletId === undefined} openId={id} onToggle={onClose} />
      ) : (
        <tr>
          <td colSpan={5}>
            <div class="row wrap">
              <span class="shrink">
                {error === undefined || isMissing(error) ? `${t.payment.missingTitle}. ${t.payment.missing}` : errorText(error)}
              </span>
              <Button size="small" onClick={onClose}>
                {t.common.close}
              </Button>
            </div>
          </td>
        </tr>
      )}
    </tbody>
  );
}

function isMissing(error: unknown): boolean {
  return error instanceof SatchelError && error.status === 404;
}

interface RowWithDetailsProps {
  readonly row: Row;
  readonly hasWallet: boolean;
  readonly openId: string | null;
  readonly onToggle: (id: string) => void;
}

function RowWithDetails({ row, hasWallet, openId, onToggle }: RowWithDetailsProps) {
  const { id } = row.transaction;
  const isOpen = openId === id;
  return (
    <Fragment>
      <TransactionRow row={row} hasWallet={hasWallet} isOpen={isOpen} onToggle={() => onToggle(id)} />
      {isOpen && (
        <tr class="row-details" id={`details-${id}`}>
          <td colSpan={5}>
            <TransactionDetails row={row} />
          </td>
        </tr>
      )}
    </Fragment>
  );
}

function dayName(day: string): string {
  if (day === textOfDay(new Date())) return t.common.today;
  return formatDate(new Date(`${day}T00:00:00`).getTime());
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
