import { api, type Event } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { Sats } from '../../parts/amount.tsx';
import { Card } from '../../parts/card.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { useList } from '../../parts/use-list.tsx';
import { formatCount } from '../../texts/count.ts';
import { apps } from '../../texts/en-apps.ts';
import { TransactionTable } from '../wallet/transaction-table.tsx';

interface PaymentsOfKeyProps {
  readonly keyId: string;
  /** The wallet of the key; undefined for a key of the account, whose payments are of several wallets. */
  readonly walletId: string | undefined;
}

/** Returns the name under which the screen loads a key once. */
export function keyName(id: string): string {
  return `key ${id}`;
}

/** What a connection has paid: the payments and transfers of its key, newest first, with their number and their sum. */
export function PaymentsOfKey({ keyId, walletId }: PaymentsOfKeyProps) {
  const options = {
    isAffected: ({ data: { wtx } }: Event) => wtx !== undefined && (walletId === undefined || wtx.wal.id === walletId),
  };
  const list = useList(
    `payments of ${keyId}`,
    (request, own) => api.transactions.list({ ...request, key_id: keyId, status: 'all' }, own),
    options,
  );
  const { data: totals } = useResource(keyName(keyId), (signal) => api.keys.get(keyId, {}, { signal }), options);
  return (
    <Card
      class="transactions"
      title={walletId === undefined ? apps.keyPayments : apps.payments}
      actions={
        totals !== undefined && (
          <span class="small secondary number">
            {totals.num_paid === null || totals.paid_msat === null ? (
              apps.paidMany
            ) : (
              <>
                {apps.paid(formatCount(totals.num_paid))} · <Sats sats={Math.floor(totals.paid_msat / 1000)} unit />
              </>
            )}
          </span>
        )
      }
      footer={
        <>
          {list.footer}
          <span class="small faint">{apps.paymentsSince}</span>
        </>
      }
    >
      <Loaded resource={list.page}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon="out" title={apps.noPaymentsTitle}>
              {walletId === undefined ? apps.noKeyPayments : apps.noPayments}
            </Empty>
          ) : (
            <TransactionTable walletId={walletId} transactions={items} hasFees={false} isFirstPage={list.isFirstPage} />
          )
        }
      </Loaded>
    </Card>
  );
}
