import { api, type Check } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { Card } from '../../parts/card.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Note } from '../../parts/note.tsx';
import { service } from '../../texts/en-service.ts';

const texts = service.checks;
/** What is checked changes without events. */
const REFRESH_MS = 60_000;

/** What the service finds when it checks its nodes, backups and settings, and what to do about it. */
export function ChecksCard() {
  const checks = useResource('operator checks', (signal) => api.operator.listChecks({}, { signal }), { everyMs: REFRESH_MS });
  const good = checks.data?.filter(({ status }) => status === 'ok') ?? [];
  const isGood = checks.data !== undefined && good.length === checks.data.length;
  return (
    <Card
      title={texts.title}
      actions={
        isGood && (
          <Badge tone="good" icon="done">
            {texts.allGood}
          </Badge>
        )
      }
      isPadded
    >
      <Loaded resource={checks}>
        {(list) => (
          <div class="stack">
            {list
              .filter(({ status }) => status !== 'ok')
              .map((one) => (
                <Problem key={`${one.subject} ${one.text}`} check={one} />
              ))}
            {good.length > 0 && (
              <details>
                <summary>{texts.good(good.length)}</summary>
                <ul class="small secondary">
                  {good.map(({ subject, text }) => (
                    <li key={`${subject} ${text}`}>
                      <Finding subject={subject} text={text} />
                    </li>
                  ))}
                </ul>
              </details>
            )}
          </div>
        )}
      </Loaded>
    </Card>
  );
}

function Problem({ check: { status, subject, text, remedy } }: { check: Check }) {
  return (
    <Note tone={status === 'fail' ? 'error' : 'warning'}>
      <p>
        <Finding subject={subject} text={text} />
      </p>
      {remedy !== null && (
        <p class="small" lang="en">
          {remedy}
        </p>
      )}
    </Note>
  );
}

/** The service writes it in English. */
function Finding({ subject, text }: { subject: string; text: string }) {
  return (
    <>
      <b>{texts.subjects[subject] ?? subject}</b>: <bdi lang="en">{text}</bdi>
    </>
  );
}
