import { useState } from 'preact/hooks';
import { useLocation, useSearch } from 'wouter-preact';
import { api, type NewWithdrawLink, type PayLink } from '../../api/client.ts';
import { csvUrl } from '../../api/list.ts';
import { useResource } from '../../api/resource.ts';
import { useCloseSheet } from '../../frame/close-sheet.ts';
import { LinkButton } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { optionsOf } from '../../parts/options.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Segments } from '../../parts/segments.tsx';
import { useFilters } from '../../parts/use-filters.ts';
import { useList } from '../../parts/use-list.tsx';
import { WalletSelect } from '../../parts/wallet-select.tsx';
import { formatCount } from '../../texts/count.ts';
import { payers as texts } from '../../texts/en-payers.ts';
import { t } from '../../texts/texts.ts';
import { ListSum } from './list-sum.tsx';
import { NewWithdrawLinkSheet } from './new-withdraw-link.tsx';
import { PayLinkPanel } from './pay-link-panel.tsx';
import { PayLinkSheet } from './pay-link-sheet.tsx';
import { PayLinkTable } from './pay-link-table.tsx';
import { WithdrawLinkOnce } from './withdraw-link-once.tsx';
import { WithdrawLinks } from './withdraw-links.tsx';
import './links.css';

const PAY_STATUSES = ['all', 'active', 'inactive'] as const;

/** A payment changes the figures of a link. */
const PAYMENTS = { isAffected: ({ event }: { event: { name: string } }) => event.name === 'wallet_receive' };

/** `/links`, with `/links/:id` beside the list, and the sheets `/links/new`, `/links/withdraw` and `/links/:id/edit`. */
export function LinksScreen({ id, sheet }: { id?: string; sheet?: string }) {
  const [path, navigate] = useLocation();
  const search = useSearch();
  const [created, setCreated] = useState<readonly NewWithdrawLink[]>();
  const [parameters, change] = useFilters();
  const walletId = parameters.get('wallet') ?? '';
  const status = PAY_STATUSES.find((one) => one === parameters.get('receive')) ?? 'all';
  const filter = { ...(walletId !== '' && { wallet_id: walletId }), ...(status !== 'all' && { status }) };
  const key = `${walletId} ${status}`;
  const links = useList(`pay links ${key}`, (request, options) => api.payLinks.list({ ...request, ...filter }, options), {
    ...PAYMENTS,
    csv: csvUrl('lnurlp', filter),
  });
  const total = useResource(`pay links, total ${key}`, (signal) => api.payLinks.getTotal(filter, { signal }), PAYMENTS);
  const listed = links.page.data?.items.find((link) => link.id === id);
  // A link of another page is read by itself.
  const other = useResource(id === undefined || listed || !links.page.data ? undefined : `pay link ${id}`, (signal) =>
    api.payLinks.get(id ?? '', {}, { signal }),
  );
  const selected = listed ?? other.data;
  const reload = () => {
    links.page.reload();
    total.reload();
    other.reload();
  };
  const close = useCloseSheet(sheet === 'edit' ? `/links/${id}` : '/links');
  const onEdited = () => {
    reload();
    close();
  };
  // The list shows the new link as selected.
  const showNew = (link: PayLink) => {
    reload();
    navigate(`/links/${link.id}`, { replace: true });
  };
  return (
    <>
      <PageHead
        title={t.links.title}
        actions={
          <>
            <LinkButton icon="ticket" href="/links/withdraw">
              {t.links.newWithdrawLink}
            </LinkButton>
            <LinkButton kind="primary" icon="plus" href="/links/new">
              {t.links.newPayLink}
            </LinkButton>
          </>
        }
      />
      {created && <WithdrawLinkOnce links={created} onStored={() => setCreated(undefined)} />}
      <div class="wallet-filter">
        <WalletSelect label={t.wallet.title} none={t.events.allWallets} value={walletId} onValue={(wallet) => change({ wallet })} />
      </div>
      <div class={selected ? 'links with-panel' : 'links'}>
        <div class="stack">
          <Card
            title={t.links.receive}
            actions={
              <Segments
                label={t.links.status}
                value={status}
                options={optionsOf(texts.statuses, PAY_STATUSES)}
                onChange={(value) => change({ receive: value === 'all' ? undefined : value })}
              />
            }
            footer={
              <>
                {total.data && <ListSum name={texts.receivedBy(formatCount(total.data.links))} msat={total.data.received_msat} />}
                {links.footer}
              </>
            }
          >
            <PayLinkTable links={links.page} selectedId={id} isFiltered={walletId !== '' || status !== 'all'} />
          </Card>
          <WithdrawLinks walletId={walletId} createdIds={created?.map((link) => link.id) ?? []} />
        </div>
        {selected && <PayLinkPanel link={selected} onChanged={reload} closeHref={search === '' ? '/links' : `/links?${search}`} />}
      </div>
      {path === '/links/new' && <PayLinkSheet onSaved={showNew} onClose={close} />}
      {sheet === 'edit' && selected && <PayLinkSheet link={selected} onSaved={onEdited} onClose={close} />}
      {path === '/links/withdraw' && <NewWithdrawLinkSheet onCreated={setCreated} onClose={close} />}
    </>
  );
}
