import { Link } from 'wouter-preact';
import { type AccountChange, api } from '../../api/client.ts';
import { type Resource, useResource } from '../../api/resource.ts';
import { useSession } from '../../api/session.tsx';
import { Card } from '../../parts/card.tsx';
import { Foreign } from '../../parts/foreign.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Time } from '../../parts/time.tsx';
import { accounts as texts } from '../../texts/en-accounts.ts';

/** Older changes are in the API. */
const SHOWN = 50;

export type AccountChanges = Resource<readonly AccountChange[]>;

export function useAccountChanges(id: string): AccountChanges {
  return useResource(`account changes ${id}`, (signal) => api.accounts.listChanges(id, { 'per-page': SHOWN }, { signal }));
}

/** The changes that operators made to an account, newest first. */
export function AccountHistory({ changes }: { changes: AccountChanges }) {
  return (
    <Card title={texts.history}>
      <Loaded resource={changes}>
        {(list) => (list.length === 0 ? <p class="padded secondary">{texts.noHistory}</p> : <ChangeTable changes={list} />)}
      </Loaded>
    </Card>
  );
}

function ChangeTable({ changes }: { changes: readonly AccountChange[] }) {
  return (
    <table class="table">
      <thead>
        <tr>
          <th>{texts.what}</th>
          <th>{texts.who}</th>
          <th class="end">{texts.when}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map((change) => (
          <tr key={change.id}>
            <td>
              {wordsOf(change.changes).map((words) => (
                <div key={words}>
                  <bdi>{words}</bdi>
                </div>
              ))}
              {change.reason !== '' && (
                <span class="sub">
                  <Foreign text={change.reason} />
                </span>
              )}
            </td>
            <td>
              <Who change={change} />
            </td>
            <td class="end secondary">
              <Time at={change.created_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Only operators change accounts. */
function Who({ change }: { change: AccountChange }) {
  const own = useSession().account.id;
  return (
    <>
      {texts.roles.operator}
      {change.made_by_account === own ? (
        <span class="sub">{texts.you}</span>
      ) : (
        <Link class="sub mono" href={`/accounts/${change.made_by_account}`}>
          {change.made_by_account}
        </Link>
      )}
    </>
  );
}

function wordsOf({ role, status, email, max_wallets, setup_link }: AccountChange['changes']): string[] {
  return [
    role !== undefined && texts.changes.role(texts.roles[role] ?? role),
    status !== undefined && (status === 'frozen' ? texts.changes.frozen : texts.changes.unfrozen),
    email !== undefined && texts.changes.email(email),
    max_wallets !== undefined && texts.changes.maxWallets(max_wallets === 0 ? texts.noLimit : String(max_wallets)),
    setup_link !== undefined && texts.changes.setupLink,
  ].filter((words) => words !== false);
}
