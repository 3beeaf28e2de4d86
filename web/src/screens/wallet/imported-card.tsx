import { Fragment } from 'preact';
import { api, type ImportedTransaction } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { AmountName } from '../../parts/amount.tsx';
import { Card } from '../../parts/card.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Pager, usePages } from '../../parts/pages.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { useFilters } from '../../parts/use-filters.ts';
import { imported as texts } from '../../texts/en-imported.ts';
import { t } from '../../texts/texts.ts';
import { ImportedDetails, ImportedRow } from './imported-row.tsx';

const PAGE = 10;

/** What the wallet did in the program that it was imported from. Nothing for a wallet that was created here, as most are. */
export function ImportedCard({ walletId }: { readonly walletId: string }) {
  const pages = usePages();
  const { after } = pages;
  const list = useResource(`imported ${walletId} ${after}`, (signal) =>
    // One more than is shown says whether there are older ones.
    api.wallets.listImportedTransactions(walletId, { ...(after && { after }), 'per-page': PAGE + 1 }, { signal }),
  );
  const first = list.data?.[0];
  if (pages.isFirst && !first) return <Loaded resource={list} skeleton={false} children={() => null} />;
  const last = (list.data?.length ?? 0) > PAGE ? list.data?.[PAGE - 1]?.id : undefined;
  return (
    <Card class="transactions" title={texts.title} footer={(last !== undefined || !pages.isFirst) && <Pager pages={pages} last={last} />}>
      {first && <p class="padded secondary small">{texts.remark(texts.programs[first.source] ?? first.source)}</p>}
      <Loaded resource={list} skeleton={<SkeletonRows count={PAGE} />}>
        {(rows) => <ImportedTable rows={rows.slice(0, PAGE)} />}
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
