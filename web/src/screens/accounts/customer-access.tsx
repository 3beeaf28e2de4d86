import { api } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { StatusBadge } from '../../parts/badge.tsx';
import { Card } from '../../parts/card.tsx';
import { Foreign } from '../../parts/foreign.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Time } from '../../parts/time.tsx';
import { accounts as texts } from '../../texts/en-accounts.ts';

const SHOWN = 20;

/** The browsers in which the owner of an account is logged in. */
export function CustomerSessions({ id }: { readonly id: string }) {
  const sessions = useResource(`account sessions ${id}`, (signal) => api.accounts.listSessions(id, { 'per-page': SHOWN }, { signal }));
  return (
    <Card title={texts.sessions}>
      <Loaded resource={sessions}>
        {(list) => (
          <AccessTable
            empty={texts.noSessions}
            rows={list.map(({ id: key, user_agent, status, last_used_at }) => ({
              ...{ key, status, used: last_used_at, name: user_agent === '' ? texts.unknownBrowser : user_agent },
            }))}
          />
        )}
      </Loaded>
    </Card>
  );
}

/** The API keys of an account, without their secrets. */
export function CustomerKeys({ id }: { readonly id: string }) {
  const keys = useResource(`account keys ${id}`, (signal) => api.accounts.listKeys(id, { 'per-page': SHOWN }, { signal }));
  return (
    <Card title={texts.keys}>
      <Loaded resource={keys}>
        {(list) => (
          <AccessTable
            empty={texts.noKeys}
            rows={list.map(({ id: key, user_label, hint, status, last_used_at }) => ({
              ...{ key, status, used: last_used_at, name: user_label === '' ? hint : `${user_label} ${hint}` },
            }))}
          />
        )}
      </Loaded>
    </Card>
  );
}

interface AccessRow {
  readonly key: string;
  readonly name: string;
  readonly status: string;
  readonly used: number | null;
}

function AccessTable({ rows, empty }: { readonly rows: readonly AccessRow[]; readonly empty: string }) {
  if (rows.length === 0) return <p class="padded secondary">{empty}</p>;
  return (
    <table class="table">
      <thead>
        <tr>
          <th>{texts.name}</th>
          <th class="end">{texts.status}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, name, status, used }) => (
          <tr key={key}>
            <td>
              <Foreign text={name} />
              <span class="sub">
                {texts.lastUsed} {used === null ? texts.never : <Time at={used} />}
              </span>
            </td>
            <td class="end">
              <StatusBadge status={status} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
