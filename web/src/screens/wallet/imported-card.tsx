import { Fragment } from 'preact';
import { api, type ImportedTransaction } from '../../api/client.ts';
import { AmountName } from '../../parts/amount.tsx';
import { Card } from '../../parts/card.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { useFilters } from '../../parts/use-filters.ts';
import { useList } from '../../parts/use-list.tsx';
import { imported as texts } from '../../texts/en-imported.ts';
import { t } from '../../texts/texts.ts';
import { ImportedDetails, ImportedRow } from './imported-row.tsx';

const PAGE = 10;

/** What the wallet did in the program that it was imported from. Nothing for a wallet that was created here, as most are. */
export function ImportedCard({ walletId }: { readonly walletId: string }) {
  const list = useList(`imported ${walletId}`, (request, options) => api.wallets.listImportedTransactions(walletId, request, options), {
    perPage: PAGE,
  });
  const first = list.page.data?.items[0];
  if (list.isFirstPage && !first) return <Loaded resource={list.page} skeleton={false} children={() => null} />;
  return (
    <Card class="transactions" title={texts.title} footer={list.footer}>
      {first && <p class="padded secondary small">{texts.remark(texts.programs[first.source] ?? first.source)}</p>}
      <Loaded resource={list.page} skeleton={<SkeletonRows count={PAGE} />}>
        {({ items }) => <ImportedTable rows={items} />}
      </Loaded>
    </Card>
  );
}

/** The open row is in the address. */
function ImportedTable({ rows }: { readonly rows: readonly ImportedTransaction[] }) {
  const [parameters, change] = useFilters();
  const openId = parameters.get('imported');
  return (
    <table class="table">
      <thead>
        <tr>
          <th>{t.wallet.transaction}</th>
          <th class="desktop-only">{t.wallet.time}</th>
          <th class="desktop-only">{t.wallet.status}</th>
          <th class="end">
            <AmountName>{t.wallet.amount}</AmountName>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Fragment key={row.id}>
            <ImportedRow
              row={row}
              isOpen={openId === row.id}
              onToggle={() => change({ imported: openId === row.id ? undefined : row.id })}
            />
            {openId === row.id && (
              <tr class="row-details" id={`details-${row.id}`}>
                <td colSpan={4}>
                  <ImportedDetails row={row} />
                </td>
              </tr>
            )}
          </Fragment>
        ))}
      </tbody>
    </table>
  );
}
