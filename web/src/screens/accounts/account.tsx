import { useState } from 'preact/hooks';
import { useSearch } from 'wouter-preact';
import { type Account, api, SatchelError } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useCloseSheet } from '../../frame/close-sheet.ts';
import { LinkButton } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Details } from '../../parts/details.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Identifier } from '../../parts/identifier.tsx';
import { lazy } from '../../parts/lazy.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Time } from '../../parts/time.tsx';
import { FeesCard } from '../../policy/fees-card.tsx';
import { LimitsCard } from '../../policy/limits-card.tsx';
import { type Owner, useFees, useLimits } from '../../policy/owner.ts';
import { accounts as texts } from '../../texts/en-accounts.ts';
import { AccountBadge } from './account-badge.tsx';
import { AccountHistory, useAccountChanges } from './account-history.tsx';
import { type CreatedLink, SetupLinkOnce } from './accounts.tsx';
import { ChangeSheet } from './change-sheet.tsx';
import { CustomerKeys, CustomerSessions } from './customer-access.tsx';
import { CustomerFigures } from './customer-figures.tsx';
import { CustomerPayments, CustomerWallets } from './customer-money.tsx';
import { CustomerNotes } from './customer-notes.tsx';
import './customer.css';
import { loginOf, nameOf, walletsOf } from './name-of.ts';
import { SetupLinkSheet } from './setup-link-sheet.tsx';
import { StatusSheet } from './status-sheet.tsx';

const FeesSheet = lazy(() => import('../../policy/fees-sheet.tsx').then((file) => file.FeesSheet));
const FeeVersionsSheet = lazy(() => import('../../policy/fee-versions-sheet.tsx').then((file) => file.FeeVersionsSheet));
const LimitsSheet = lazy(() => import('../../policy/limits-sheet.tsx').then((file) => file.LimitsSheet));

/** `/accounts/:id`, with the sheets `/accounts/:id/change`, `state`, `setup-link`, `fees`, `fee-versions` and `limits`. */
export function AccountScreen({ id, sheet }: { id: string; sheet?: string }) {
  const [link, setLink] = useState<CreatedLink>();
  const account = useResource(`account ${id}`, (signal) => api.accounts.get(id, {}, { signal }));
  const changes = useAccountChanges(id);
  const close = useCloseSheet(`/accounts/${id}`);
  const { data } = account;
  const owner: Owner = { kind: 'account', id, name: data ? nameOf(data) : id };
  // The sheets of fees and limits are also those of a single wallet.
  const walletId = new URLSearchParams(useSearch()).get('wallet');
  const chosen: Owner = walletId === null ? owner : { kind: 'wallet', id: walletId, name: walletId };
  const fees = useFees(owner);
  const limits = useLimits(owner);
  if (account.error instanceof SatchelError && account.error.status === 404) return <MissingAccount />;
  const reload = () => {
    account.reload();
    changes.reload();
  };
  const props = data && { account: data, onChanged: reload, onClose: close };
  return (
    <>
      <PageHead
        title={data ? nameOf(data) : texts.account}
        parent={{ href: '/accounts', label: texts.title }}
        aside={data && <AccountBadge status={data.status} />}
        actions={data && <Actions account={data} />}
      />
      {link && <SetupLinkOnce link={link} onStored={() => setLink(undefined)} />}
      <CustomerFigures id={id} />
      <div class="customer">
        <div class="stack">
          <CustomerWallets id={id} />
          <CustomerPayments id={id} />
          <AccountHistory changes={changes} />
        </div>
        <div class="stack">
          <Card isPadded>
            <Loaded resource={account}>{(loaded) => <AccountDetails account={loaded} />}</Loaded>
          </Card>
          <FeesCard fees={fees} path={`/accounts/${id}`} isSubAccount={typeof data?.parent_id === 'string'} />
          <LimitsCard limits={limits} path={`/accounts/${id}`} />
          <CustomerNotes id={id} onChanged={changes.reload} />
          <CustomerSessions id={id} />
          <CustomerKeys id={id} />
        </div>
      </div>
      {sheet === 'change' && props && <ChangeSheet {...props} />}
      {sheet === 'state' && props && <StatusSheet {...props} />}
      {sheet === 'fees' && <FeesSheet owner={chosen} onChanged={changes.reload} onClose={close} />}
      {sheet === 'fee-versions' && <FeeVersionsSheet owner={chosen} onClose={close} />}
      {sheet === 'limits' && <LimitsSheet owner={chosen} onChanged={changes.reload} onClose={close} />}
      {sheet === 'setup-link' && data && (
        <SetupLinkSheet
          account={data}
          onCreated={(url) => {
            setLink({ name: nameOf(data), url });
            reload();
          }}
          onClose={close}
        />
      )}
    </>
  );
}

function Actions({ account: { id, status } }: { account: Account }) {
  return (
    <>
      <LinkButton href={`/accounts/${id}/setup-link`}>{texts.setupLink}</LinkButton>
      <LinkButton href={`/accounts/${id}/change`}>{texts.change}</LinkButton>
      <LinkButton {...(status === 'active' && { kind: 'danger' as const })} href={`/accounts/${id}/state`}>
        {status === 'active' ? texts.restrict : texts.changeState}
      </LinkButton>
    </>
  );
}

function AccountDetails({ account }: { account: Account }) {
  return (
    <Details
      entries={[
        [texts.role, texts.roles[account.role] ?? account.role],
        [texts.wallets, <span class="number">{walletsOf(account)}</span>],
        [texts.login, loginOf(account)],
        [texts.created, <Time at={account.created_at} />],
        [texts.id, <Identifier value={account.id} label={texts.copyId} />],
        [texts.publicKey, <Identifier value={account.public_key} label={texts.copyKey} />],
      ]}
    />
  );
}

function MissingAccount() {
  return (
    <>
      <PageHead title={texts.account} parent={{ href: '/accounts', label: texts.title }} />
      <Empty icon="users" title={texts.missingTitle} action={<LinkButton href="/accounts">{texts.all}</LinkButton>}>
        {texts.missing}
      </Empty>
    </>
  );
}
