import { Card } from '../../parts/card.tsx';
import { useFilters } from '../../parts/use-filters.ts';
import { useWalletLabels } from '../../parts/wallet-names.ts';
import { TransactionList } from '../wallet/transaction-list.tsx';
import { useTransactionList } from '../wallet/transactions-card.tsx';
import { TransactionSums } from './transaction-sums.tsx';

/** The transactions of all wallets of the account, or of the one that `?wallet=` names. */
export function TransactionsTab() {
  const [parameters] = useFilters();
  const walletId = parameters.get('wallet') ?? '';
  const labels = useWalletLabels([walletId]);
  const list = useTransactionList({ accountWallet: walletId });
  return (
    <>
      <TransactionSums filters={list.filters} walletId={walletId} count={list.count} />
      <Card class="transactions" footer={list.footer}>
        <div ref={list.heading} />
        <TransactionList list={list} wallet={{ id: walletId, name: labels.get(walletId) ?? walletId }} />
      </Card>
    </>
  );
}
