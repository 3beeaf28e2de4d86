import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { api, type NewWithdrawLink } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useCloseSheet } from '../../frame/close-sheet.ts';
import { LinkButton } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useFilters } from '../../parts/use-filters.ts';
import { useList } from '../../parts/use-list.tsx';
import { WalletSelect } from '../../parts/wallet-select.tsx';
import { t } from '../../texts/texts.ts';
import { NewWithdrawLinkSheet } from './new-withdraw-link.tsx';
import { PayLinkPanel } from './pay-link-panel.tsx';
import { PayLinkSheet } from './pay-link-sheet.tsx';
import { PayLinkTable } from './pay-link-table.tsx';
import { WithdrawLinkOnce } from './withdraw-link-once.tsx';
import { WithdrawLinks } from './withdraw-links.tsx';
import './links.css';

/** `/links`, with `/links/:id` beside the list, and the sheets `/links/new`, `/links/withdraw` and `/links/:id/edit`. */
export function LinksScreen({ id, sheet }: { id?: string; sheet?: string }) {
  const [path] = useLocation();
  const [created, setCreated] = useState<readonly NewWithdrawLink[]>();
  const [parameters, change] = useFilters();
  const walletId = parameters.get('wallet') ?? '';
  const links = useList(`pay links ${walletId}`, (request, options) =>
    walletId === '' ? api.payLinks.list(request, options) : api.wallets.listPayLinks(walletId, request, options),
  );
  const listed = links.page.data?.items.find((link) => link.id === id);
  // A link of another page is read by itself.
  const other = useResource(id === undefined || listed || !links.page.data ? undefined : `pay link ${id}`, (signal) =>
    api.payLinks.get(id ?? '', {}, { signal }),
  );
  const selected = listed ?? other.data;
  const reload = () => {
    links.page.reload();
    other.reload();
  };
  const close = useCloseSheet(sheet === 'edit' ? `/links/${id}` : '/links');
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
          <Card title={t.links.receive} actions={<span class="small secondary">{t.links.receiveHint}</span>} footer={links.footer}>
            <PayLinkTable links={links.page} selectedId={id} />
          </Card>
          <WithdrawLinks walletId={walletId} createdIds={created?.map((link) => link.id) ?? []} />
        </div>
        {selected && <PayLinkPanel link={selected} onChanged={reload} />}
      </div>
      {path === '/links/new' && <PayLinkSheet onSaved={reload} onClose={close} />}
      {sheet === 'edit' && selected && <PayLinkSheet link={selected} onSaved={reload} onClose={close} />}
      {path === '/links/withdraw' && <NewWithdrawLinkSheet onCreated={setCreated} onClose={close} />}
    </>
  );
}
