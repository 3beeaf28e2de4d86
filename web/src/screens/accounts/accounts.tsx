import { useState } from 'preact/hooks';
import { useLocation, useSearchParams } from 'wouter-preact';
import { type Account, api } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useCloseSheet } from '../../frame/close-sheet.ts';
import { LinkButton } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { SecretOnce } from '../../parts/secret-once.tsx';
import { accounts as texts } from '../../texts/en-accounts.ts';
import { AccountTable } from './account-table.tsx';
import { nameOf } from './name-of.ts';
import { NewAccountSheet } from './new-account.tsx';

const PAGE = 50;

/** A setup link that was just created. */
export interface CreatedLink {
  readonly name: string;
  readonly url: string;
}

/** `/accounts`: all accounts, newest first, with the sheet `/accounts/new`. `?page=` from 2 shows older ones. */
export function AccountsScreen() {
  const [path] = useLocation();
  const [search] = useSearchParams();
  const [link, setLink] = useState<CreatedLink>();
  const page = Math.max(1, Math.trunc(Number(search.get('page'))) || 1);
  const accounts = useResource(`accounts ${page}`, (signal) => api.listAccounts({ page, 'per-page': PAGE }, { signal }));
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
      <Pages page={page} hasOlder={accounts.data?.length === PAGE} />
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

/** The link for the owner of an account. */
export function SetupLinkOnce({ link, onStored }: { link: CreatedLink; onStored: () => void }) {
  return <SecretOnce title={texts.linkTitle(link.name)} secret={link.url} copyLabel={texts.copyLink} onStored={onStored} />;
}

function Pages({ page, hasOlder }: { page: number; hasOlder: boolean }) {
  if (page === 1 && !hasOlder) return null;
  return (
    <div class="row">
      {page > 1 && <LinkButton href={page === 2 ? '/accounts' : `/accounts?page=${page - 1}`}>{texts.newer}</LinkButton>}
      {hasOlder && (
        <LinkButton href={`/accounts?page=${page + 1}`} class="push">
          {texts.older}
        </LinkButton>
      )}
    </div>
  );
}
