import { Card } from '../../parts/card.tsx';
import { useFilters } from '../../parts/use-filters.ts';
import { useIsPhone } from '../../parts/use-is-phone.ts';
import { useWalletLabels } from '../../parts/wallet-names.ts';
import { activity } from '../../texts/en-activity.ts';
import { FilterBar, FilterButton } from '../wallet/filter-bar.tsx';
import { isFiltered } from '../wallet/filters.ts';
import { TransactionList } from '../wallet/transaction-list.tsx';
import { useTransactionList } from '../wallet/transactions-card.tsx';
import { TransactionSums } from './transaction-sums.tsx';

/** The transactions of all wallets of the account, or of the one that `?wallet=` names. */
export function TransactionsTab() {
  const [parameters] = useFilters();
  const walletId = parameters.get('wallet') ?? '';
  const labels = useWalletLabels([walletId]);
  const list = useTransactionList({ accountWallet: walletId });
  const wallet = { id: walletId, name: labels.get(walletId) ?? walletId };
  const filter = { filters: list.filters, wallet, onChange: list.filter };
  /** On a phone, the filters that are set are worth their place. */
  const hasButton = useIsPhone() && walletId === '' && !isFiltered(list.filters);
  return (
    <>
      {!hasButton && <FilterBar {...filter} />}
      <TransactionSums filters={list.filters} walletId={walletId} count={list.count} />
      <Card
        class="transactions"
        {...(hasButton && { title: activity.transactions, actions: <FilterButton {...filter} /> })}
        footer={list.footer}
      >
        <div ref={list.heading} />
        <TransactionList list={list} wallet={wallet} hasBar={false} />
      </Card>
    </>
  );
}
