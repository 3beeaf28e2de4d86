import { api } from '../../api/client.ts';
import { StatusBadge } from '../../parts/badge.tsx';
import { Card } from '../../parts/card.tsx';
import { Foreign } from '../../parts/foreign.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Time } from '../../parts/time.tsx';
import { useList } from '../../parts/use-list.tsx';
import { accounts as texts } from '../../texts/en-accounts.ts';

const SHOWN = 20;

/** The browsers in which the owner of an account is logged in. */
export function CustomerSessions({ id }: { readonly id: string }) {
  const sessions = useList(`account sessions ${id}`, (request, options) => api.accounts.listSessions(id, request, options), {
    perPage: SHOWN,
  });
  return (
    <Card title={texts.sessions} footer={sessions.footer}>
      <Loaded resource={sessions.page}>
        {({ items }) => (
          <AccessTable
            empty={texts.noSessions}
            rows={items.map(({ id: key, user_agent, status, last_used_at }) => ({
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
  const keys = useList(`account keys ${id}`, (request, options) => api.accounts.listKeys(id, request, options), { perPage: SHOWN });
  return (
    <Card title={texts.keys} footer={keys.footer}>
      <Loaded resource={keys.page}>
        {({ items }) => (
          <AccessTable
            empty={texts.noKeys}
            rows={items.map(({ id: key, user_label, hint, status, last_used_at }) => ({
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
