import { Link } from 'wouter-preact';
import type { Account } from '../../api/client.ts';
import { useSession } from '../../api/session.tsx';
import { Time } from '../../parts/time.tsx';
import { accounts as texts } from '../../texts/en-accounts.ts';
import { AccountBadge } from './account-badge.tsx';
import { loginOf, nameOf, walletsOf } from './name-of.ts';

export function AccountTable({ accounts }: { accounts: readonly Account[] }) {
  return (
    <table class="table">
      <thead>
        <tr>
          <th>{texts.account}</th>
          <th class="desktop-only">{texts.role}</th>
          <th class="desktop-only">{texts.login}</th>
          <th>{texts.status}</th>
          <th class="desktop-only">{texts.created}</th>
          <th class="end">{texts.wallets}</th>
        </tr>
      </thead>
      <tbody>
        {accounts.map((account) => (
          <AccountRow key={account.id} account={account} />
        ))}
      </tbody>
    </table>
  );
}

function AccountRow({ account }: { account: Account }) {
  const own = useSession().account.id;
  const role = texts.roles[account.role] ?? account.role;
  return (
    <tr class="clickable">
      <td>
        <Link class="name" href={`/accounts/${account.id}`}>
          <bdi>{nameOf(account)}</bdi>
        </Link>
        {account.id === own && <span class="sub">{texts.you}</span>}
        <span class="sub phone-only">{role}</span>
      </td>
      <td class="desktop-only">{role}</td>
      <td class="desktop-only secondary">{loginOf(account)}</td>
      <td>
        <AccountBadge status={account.status} />
      </td>
      <td class="desktop-only secondary">
        <Time at={account.created_at} />
      </td>
      <td class="end number">{walletsOf(account)}</td>
    </tr>
  );
}
