import { useState } from 'preact/hooks';
import { type Account, api, SatchelError } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useCloseSheet } from '../../frame/close-sheet.ts';
import { StatusBadge } from '../../parts/badge.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Details } from '../../parts/details.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Identifier } from '../../parts/identifier.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Time } from '../../parts/time.tsx';
import { t } from '../../texts/texts.ts';
import { type CreatedLink, SetupLinkOnce } from './accounts.tsx';
import { ChangeSheet } from './change-sheet.tsx';
import { loginOf, nameOf, walletsOf } from './name-of.ts';
import { SetupLinkSheet } from './setup-link-sheet.tsx';
import { StatusSheet } from './status-sheet.tsx';

/** `/accounts/:id`, with the sheets `/accounts/:id/change`, `freeze`, `unfreeze` and `setup-link`. */
export function AccountScreen({ id, sheet }: { id: string; sheet?: string }) {
  const [link, setLink] = useState<CreatedLink>();
  const account = useResource(`account ${id}`, (signal) => api.getAccountById({ id }, { signal }));
  const close = useCloseSheet(`/accounts/${id}`);
  const { data } = account;
  if (account.error instanceof SatchelError && account.error.status === 404) return <MissingAccount />;
  const props = data && { account: data, onChanged: account.reload, onClose: close };
  return (
    <>
      <PageHead
        title={data ? nameOf(data) : t.accounts.account}
        parent={{ href: '/accounts', label: t.accounts.title }}
        aside={data && <StatusBadge status={data.status} />}
        actions={data && <Actions account={data} />}
      />
      {link && <SetupLinkOnce link={link} onStored={() => setLink(undefined)} />}
      <Card isPadded>
        <Loaded resource={account}>{(loaded) => <AccountDetails account={loaded} />}</Loaded>
      </Card>
      {sheet === 'change' && props && <ChangeSheet {...props} />}
      {(sheet === 'freeze' || sheet === 'unfreeze') && props && (
        <StatusSheet key={sheet} status={sheet === 'freeze' ? 'frozen' : 'active'} {...props} />
      )}
      {sheet === 'setup-link' && data && (
        <SetupLinkSheet account={data} onCreated={(url) => setLink({ name: nameOf(data), url })} onClose={close} />
      )}
    </>
  );
}

function Actions({ account: { id, status } }: { account: Account }) {
  return (
    <>
      <LinkButton href={`/accounts/${id}/setup-link`}>{t.accounts.setupLink}</LinkButton>
      {status === 'frozen' ? (
        <LinkButton href={`/accounts/${id}/unfreeze`}>{t.accounts.unfreeze}</LinkButton>
      ) : (
        <LinkButton kind="danger" href={`/accounts/${id}/freeze`}>
          {t.accounts.freeze}
        </LinkButton>
      )}
      <LinkButton kind="primary" href={`/accounts/${id}/change`}>
        {t.accounts.change}
      </LinkButton>
    </>
  );
}

function AccountDetails({ account }: { account: Account }) {
  return (
    <Details
      entries={[
        [t.accounts.role, t.accounts.roles[account.role] ?? account.role],
        [t.accounts.wallets, <span class="number">{walletsOf(account)}</span>],
        [t.accounts.login, loginOf(account)],
        [t.accounts.created, <Time at={account.created_at} />],
        [t.accounts.id, <Identifier value={account.id} label={t.accounts.copyId} />],
        [t.accounts.publicKey, <Identifier value={account.public_key} label={t.accounts.copyKey} />],
      ]}
    />
  );
}

function MissingAccount() {
  return (
    <>
      <PageHead title={t.accounts.account} parent={{ href: '/accounts', label: t.accounts.title }} />
      <Empty icon="users" title={t.accounts.missingTitle} action={<LinkButton href="/accounts">{t.accounts.all}</LinkButton>}>
        {t.accounts.missing}
      </Empty>
    </>
  );
}
