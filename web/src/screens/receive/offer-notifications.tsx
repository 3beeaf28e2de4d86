import { useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import { endOffer, mayOffer, type PushProblem, turnOn } from '../../api/push.ts';
import { useSession } from '../../api/session.tsx';
import { Button } from '../../parts/button.tsx';
import { Note } from '../../parts/note.tsx';
import { push as texts } from '../../texts/en-push.ts';

/** Offers notifications after a payment, until the person has answered once in this browser. */
export function OfferNotifications() {
  const { account } = useSession();
  const [isOffered, setIsOffered] = useState(mayOffer);
  const [result, setResult] = useState<PushProblem | 'on'>();
  const { run, isBusy, error } = useAction(async (isWanted: boolean) => {
    if (isWanted) setResult((await turnOn(account.id)) ?? 'on');
    endOffer();
    setIsOffered(false);
  });
  if (result !== undefined) return <Note tone={result === 'on' ? 'good' : 'warning'}>{texts[result]}</Note>;
  if (!isOffered) return null;
  return (
    <div class="stack tight">
      <p class="small secondary">{texts.offer}</p>
      <div class="pair">
        <Button disabled={isBusy} onClick={() => run(true)}>
          {texts.notify}
        </Button>
        <Button kind="quiet" disabled={isBusy} onClick={() => run(false)}>
          {texts.notNow}
        </Button>
      </div>
      {error !== undefined && <Note tone="error">{error}</Note>}
    </div>
  );
}
