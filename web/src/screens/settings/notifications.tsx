import { useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { api, type Push } from '../../api/client.ts';
import { ownId, type PushProblem, stateOf, turnOff, turnOn } from '../../api/push.ts';
import { useResource } from '../../api/resource.ts';
import { useSession } from '../../api/session.tsx';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { CheckField } from '../../parts/field.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Note } from '../../parts/note.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { push as texts } from '../../texts/en-push.ts';
import { browserName } from './sessions.tsx';

/** Turns the notifications of payments on and off, in this browser and in the others of the account. */
export function NotificationsCard({ hasOthers = false }: { hasOthers?: boolean }) {
  const push = useResource('push', (signal) => api.push.get({}, { signal }));
  return (
    <Card title={texts.title} isPadded>
      <Loaded resource={push} skeleton={<Skeleton height="60px" />}>
        {(data) => (
          <div class="stack">
            <Switch push={data} onChange={push.reload} />
            {hasOthers && <Others push={data} onChange={push.reload} />}
          </div>
        )}
      </Loaded>
    </Card>
  );
}

interface PartProps {
  readonly push: Push;
  readonly onChange: () => void;
}

function Switch({ push, onChange }: PartProps) {
  const { account } = useSession();
  const [problem, setProblem] = useState<PushProblem>();
  const change = useAction(async (isOn: boolean) => {
    setProblem(isOn ? await turnOn(account.id) : undefined);
    if (!isOn) await turnOff(ownId());
    onChange();
  });
  const state = stateOf(push);
  if (state !== 'on' && state !== 'off') return <Note tone={state === 'denied' ? 'warning' : 'info'}>{texts[state]}</Note>;
  return (
    <>
      <CheckField label={texts.notify} hint={texts.hint} isChecked={state === 'on'} onChange={change.run} />
      {problem !== undefined && <Note tone="warning">{texts[problem]}</Note>}
      {change.error !== undefined && <Note tone="error">{change.error}</Note>}
    </>
  );
}

function Others({ push, onChange }: PartProps) {
  const remove = useAction(async (id: string) => {
    await turnOff(id);
    onChange();
  });
  const others = push.subscriptions.filter(({ id, status }) => id !== ownId() && status === 'active');
  if (others.length === 0) return null;
  return (
    <div>
      <h3>{texts.others}</h3>
      <ul class="other-browsers">
        {others.map(({ id, user_agent: userAgent }) => (
          <li key={id} class="row wrap">
            <bdi>{browserName(userAgent)}</bdi>
            <span class="push">
              <Button size="small" disabled={remove.isBusy} onClick={() => remove.run(id)}>
                {texts.turnOff}
                <span class="visually-hidden">{texts.remove(browserName(userAgent))}</span>
              </Button>
            </span>
          </li>
        ))}
      </ul>
      {remove.error !== undefined && <Note tone="error">{remove.error}</Note>}
    </div>
  );
}
