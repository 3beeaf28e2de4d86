import { useAction } from '../../api/action.ts';
import { api, type Session } from '../../api/client.ts';
import { Badge, StatusBadge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Note } from '../../parts/note.tsx';
import { Time } from '../../parts/time.tsx';
import { useList } from '../../parts/use-list.tsx';
import { t } from '../../texts/texts.ts';

/** The browsers in which the person is logged in. */
export function SessionsCard() {
  const sessions = useList('sessions', api.session.list, { perPage: 20 });
  const { run, isBusy, error } = useAction(async (id: string) => {
    await api.session.revoke(id);
    sessions.page.reload();
  });
  return (
    <Card title={t.settings.sessions} footer={sessions.footer}>
      {error !== undefined && <Note tone="error">{error}</Note>}
      <Loaded resource={sessions.page}>
        {({ items }) => (
          <table class="table">
            <thead>
              <tr>
                <th>{t.settings.browser}</th>
                <th class="desktop-only">{t.settings.lastUsed}</th>
                <th class="desktop-only">{t.settings.status}</th>
                <th class="end">
                  <span class="visually-hidden">{t.settings.endSession}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {items.map((session) => (
                <SessionRow key={session.id} session={session} isBusy={isBusy} onEnd={() => run(session.id)} />
              ))}
            </tbody>
          </table>
        )}
      </Loaded>
    </Card>
  );
}

function SessionRow({ session, isBusy, onEnd }: { session: Session; isBusy: boolean; onEnd: () => void }) {
  return (
    <tr>
      <td>
        <bdi class="name">{browserName(session.user_agent)}</bdi>
        <span class="sub">
          {t.settings.methods[session.method] ?? session.method} · <Time at={session.created_at} />
        </span>
      </td>
      <td class="desktop-only secondary">
        <Time at={session.last_used_at} />
      </td>
      <td class="desktop-only">
        {session.is_current ? <Badge tone="good">{t.settings.thisBrowser}</Badge> : <StatusBadge status={session.status} />}
      </td>
      <td class="end">
        {session.status === 'active' && !session.is_current && (
          <Button size="small" disabled={isBusy} onClick={onEnd}>
            {t.settings.endSession}
          </Button>
        )}
      </td>
    </tr>
  );
}

/** Returns the names of the browser and the system in a User-Agent, or its first words. */
export function browserName(userAgent: string): string {
  const browser = /Edg\/|OPR\/|Firefox\/|Chrome\/|Safari\//.exec(userAgent)?.[0].slice(0, -1);
  const system = /Windows|Android|iPhone|iPad|Mac OS X|Linux/.exec(userAgent)?.[0];
  const names: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera' };
  if (!browser) return userAgent.slice(0, 60) || t.settings.unknownBrowser;
  return [names[browser] ?? browser, system].filter(Boolean).join(', ');
}
