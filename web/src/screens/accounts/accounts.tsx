import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { type Account, api } from '../../api/client.ts';
import { type Resource, useResource } from '../../api/resource.ts';
import { useCloseSheet } from '../../frame/close-sheet.ts';
import { LinkButton } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { SecretOnce } from '../../parts/secret-once.tsx';
import { useFilters } from '../../parts/use-filters.ts';
import { accounts as texts } from '../../texts/en-accounts.ts';
import { AccountTable } from './account-table.tsx';
import { CustomerResults, CustomerSearchBar } from './customer-search.tsx';
import { nameOf } from './name-of.ts';
import { NewAccountSheet } from './new-account.tsx';

const PAGE = 50;

/** A setup link that was just created. */
export interface CreatedLink {
  readonly name: string;
  readonly url: string;
}

/** `/accounts`: all accounts, newest first, with the sheet `/accounts/new`. `?after=` shows older ones, `?q=` what a search finds. */
export function AccountsScreen() {
  const [path] = useLocation();
  const [search, change] = useFilters();
  const [link, setLink] = useState<CreatedLink>();
  const after = search.get('after') ?? '';
  const q = search.get('q') ?? '';
  const accounts = useResource(`accounts ${after}`, (signal) =>
    api.accounts.list({ ...(after !== '' && { after }), 'per-page': PAGE }, { signal }),
  );
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
      <CustomerSearchBar text={q} onChange={(text) => change({ q: text, after: undefined })} />
      {q === '' ? <AllAccounts accounts={accounts} isFirst={after === ''} /> : <CustomerResults text={q} />}
      {path === '/accounts/new' && (
        <NewAccountSheet
          onCreated={(account: Account, url: string) => {
            setLink({ name: nameOf(account), url });
            accounts.reload();
          }}
          onClose={close}
        />
      )}
    </>
  );
}

function AllAccounts({ accounts, isFirst }: { readonly accounts: Resource<readonly Account[]>; readonly isFirst: boolean }) {
  return (
    <>
      <Card>
        <Loaded resource={accounts}>
          {(list) =>
            list.length === 0 ? (
              <Empty icon="users" title={texts.emptyTitle}>
                {texts.empty}
              </Empty>
            ) : (
              <AccountTable accounts={list} />
            )
          }
        </Loaded>
      </Card>
      <Pages isFirst={isFirst} last={accounts.data?.length === PAGE ? accounts.data.at(-1)?.id : undefined} />
    </>
  );
}

/** The link for the owner of an account. */
export function SetupLinkOnce({ link, onStored }: { link: CreatedLink; onStored: () => void }) {
  return <SecretOnce title={texts.linkTitle(link.name)} secret={link.url} copyLabel={texts.copyLink} onStored={onStored} />;
}

/** `last` is the last account of a full page. */
function Pages({ isFirst, last }: { isFirst: boolean; last: string | undefined }) {
  if (isFirst && last === undefined) return null;
  return (
    <div class="row">
      {!isFirst && <LinkButton href="/accounts">{texts.newest}</LinkButton>}
      {last !== undefined && (
        <LinkButton href={`/accounts?after=${last}`} class="push">
          {texts.older}
        </LinkButton>
      )}
    </div>
  );
}
