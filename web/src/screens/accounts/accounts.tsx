import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { type Account, api } from '../../api/client.ts';
import { csvUrl } from '../../api/list.ts';
import { useCloseSheet } from '../../frame/close-sheet.ts';
import { LinkButton } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { SecretOnce } from '../../parts/secret-once.tsx';
import { useFilters } from '../../parts/use-filters.ts';
import { type ShownList, useList } from '../../parts/use-list.tsx';
import { accounts as texts } from '../../texts/en-accounts.ts';
import { AccountTable } from './account-table.tsx';
import { CustomerResults, CustomerSearchBar } from './customer-search.tsx';
import { nameOf } from './name-of.ts';
import { NewAccountSheet } from './new-account.tsx';

/** A setup link that was just created. */
export interface CreatedLink {
  readonly name: string;
  readonly url: string;
}

/** `/accounts`: all accounts, newest first, with the sheet `/accounts/new`. `?q=` shows what a search finds. */
export function AccountsScreen() {
  const [path] = useLocation();
  const [search, change] = useFilters();
  const [link, setLink] = useState<CreatedLink>();
  const q = search.get('q') ?? '';
  const accounts = useList('accounts', api.accounts.list, { csv: csvUrl('accounts') });
  const close = useCloseSheet('/accounts');
  return (
    <>
      <PageHead
        title={texts.title}
        actions={
          <LinkButton kind="primary" icon="plus" href="/accounts/new">
            {texts.newAccount}
          </LinkButton>
        }
      />
      {link && <SetupLinkOnce link={link} onStored={() => setLink(undefined)} />}
      <CustomerSearchBar text={q} onChange={(text) => change({ q: text })} />
      {q === '' ? <AllAccounts accounts={accounts} /> : <CustomerResults text={q} />}
      {path === '/accounts/new' && (
        <NewAccountSheet
          onCreated={(account: Account, url: string) => {
            setLink({ name: nameOf(account), url });
            accounts.page.reload();
          }}
          onClose={close}
        />
      )}
    </>
  );
}

function AllAccounts({ accounts }: { readonly accounts: ShownList<Account> }) {
  return (
    <Card footer={accounts.footer}>
      <Loaded resource={accounts.page}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon="users" title={texts.emptyTitle}>
              {texts.empty}
            </Empty>
          ) : (
            <AccountTable accounts={items} />
          )
        }
      </Loaded>
    </Card>
  );
}

/** The link for the owner of an account. */
export function SetupLinkOnce({ link, onStored }: { link: CreatedLink; onStored: () => void }) {
  return <SecretOnce title={texts.linkTitle(link.name)} secret={link.url} copyLabel={texts.copyLink} onStored={onStored} />;
}
