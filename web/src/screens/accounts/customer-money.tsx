import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { api, type Wallet, type WalletTransaction } from '../../api/client.ts';
import { csvUrl } from '../../api/list.ts';
import { AmountName, Balance, Sats, SignedAmount } from '../../parts/amount.tsx';
import { StatusBadge } from '../../parts/badge.tsx';
import { Card } from '../../parts/card.tsx';
import { Foreign } from '../../parts/foreign.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Time } from '../../parts/time.tsx';
import { useList } from '../../parts/use-list.tsx';
import { accounts as texts } from '../../texts/en-accounts.ts';
import { policy } from '../../texts/en-policy.ts';
import { t } from '../../texts/texts.ts';
import { TransactionStatus, typeText } from '../wallet/transaction-row.tsx';

const PAGE = 10;

interface ItemTableProps<T> {
  readonly items: readonly T[];
  readonly empty: string;
  /** The titles of the name, of a detail that a phone has no room for, and of the amount. */
  readonly titles: readonly [name: string, detail: string, amount: ComponentChildren];
  /** The title of a status before the amount, which a phone has no room for. */
  readonly status?: string;
  readonly row: (item: T) => ComponentChildren;
}

function ItemTable<T>({ items, empty, titles: [name, detail, amount], status, row }: ItemTableProps<T>) {
  if (items.length === 0) return <p class="padded secondary">{empty}</p>;
  return (
    <table class="table">
      <thead>
        <tr>
          <th>{name}</th>
          <th class="desktop-only">{detail}</th>
          {status !== undefined && <th class="desktop-only">{status}</th>}
          <th class="end">{amount}</th>
        </tr>
      </thead>
      <tbody>{items.map(row)}</tbody>
    </table>
  );
}

/** The wallets of an account with their balances. */
export function CustomerWallets({ id }: { readonly id: string }) {
  const wallets = useList(`account wallets ${id}`, (request, options) => api.accounts.listWallets(id, request, options), {
    perPage: PAGE,
    csv: csvUrl(`accounts/${id}/wallets`),
  });
  return (
    <Card title={texts.wallets} footer={wallets.footer}>
      <Loaded resource={wallets.page}>
        {({ items }) => (
          <ItemTable
            items={items}
            empty={texts.noWallets}
            titles={[texts.wallet, texts.status, <AmountName key="balance">{texts.balance}</AmountName>]}
            row={(wallet: Wallet) => (
              <tr key={wallet.id}>
                <td>
                  <span class="name">{wallet.user_label === '' ? texts.unnamed : <Foreign text={wallet.user_label} />}</span>
                  <span class="row small">
                    <Link href={`/accounts/${id}/fees?wallet=${wallet.id}`}>{policy.fees.title}</Link>
                    <Link href={`/accounts/${id}/fee-versions?wallet=${wallet.id}`}>{policy.fees.versions}</Link>
                    <Link href={`/accounts/${id}/limits?wallet=${wallet.id}`}>{policy.limits.title}</Link>
                  </span>
                </td>
                <td class="desktop-only">
                  <StatusBadge status={wallet.status} />
                </td>
                <td class="end number">
                  <Balance sats={wallet.balance} />
                </td>
              </tr>
            )}
          />
        )}
      </Loaded>
    </Card>
  );
}

const STATUSES = ['all', 'settled', 'pending', 'failed'] as const;

/** The payments and transfers of all wallets of an account. */
export function CustomerPayments({ id }: { readonly id: string }) {
  const [status, setStatus] = useState<(typeof STATUSES)[number]>('all');
  const transactions = useList(
    `account transactions ${id} ${status}`,
    (request, options) => api.accounts.listTransactions(id, { ...request, status }, options),
    { perPage: PAGE },
  );
  return (
    <Card
      title={texts.payments}
      actions={
        <Segments
          label={texts.status}
          value={status}
          options={STATUSES.map((value) => ({ value, label: texts.paymentStates[value] }))}
          onChange={setStatus}
        />
      }
      footer={transactions.footer}
    >
      <Loaded resource={transactions.page}>
        {({ items }) => (
          <ItemTable
            items={items}
            empty={texts.noPayments}
            titles={[texts.transaction, texts.when, <AmountName key="amount">{texts.amount}</AmountName>]}
            status={texts.status}
            row={(one: WalletTransaction) => <PaymentRow key={one.id} transaction={one} />}
          />
        )}
      </Loaded>
    </Card>
  );
}

function PaymentRow({ transaction }: { readonly transaction: WalletTransaction }) {
  const { user_label, wtxType, wal, status, created_at, num_satoshis } = transaction;
  return (
    <tr>
      <td>
        <span class="name">{user_label ? <Foreign text={user_label} /> : typeText(wtxType)}</span>
        <span class="sub">
          <bdi>{wal.user_label || texts.unnamed}</bdi>
          {user_label && ` · ${typeText(wtxType)}`}
        </span>
        <span class="sub phone-only">
          <Time at={created_at} />
        </span>
      </td>
      <td class="desktop-only secondary">
        <Time at={created_at} />
      </td>
      <td class="desktop-only">
        <TransactionStatus status={status} />
      </td>
      <td class="end number">
        {status === 'settled' ? (
          <SignedAmount sats={num_satoshis} />
        ) : (
          <>
            {status === 'pending' ? <Sats sats={num_satoshis} sign /> : <Sats sats={Math.abs(num_satoshis)} />}
            <span class="sub">{t.wallet.unbooked[status]}</span>
          </>
        )}
      </td>
    </tr>
  );
}
