import { useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { noteWithdrawals } from '../../api/service-state.ts';
import { Button } from '../../parts/button.tsx';
import { Foreign } from '../../parts/foreign.tsx';
import { Note } from '../../parts/note.tsx';
import { Time } from '../../parts/time.tsx';
import { desk } from '../../texts/en-desk.ts';
import { ReasonSheet } from './reason-sheet.tsx';

const texts = desk.withdrawals;
const REFRESH_MS = 15_000;

/** On every page of an operator while withdrawals are stopped: by whom, why, what was refused, and the button that resumes them. */
export function StoppedBanner() {
  const [isResuming, setIsResuming] = useState(false);
  const withdrawals = useResource('withdrawals', (signal) => api.operator.getWithdrawals({}, { signal }), { everyMs: REFRESH_MS });
  const { data } = withdrawals;
  if (data?.status !== 'stopped' || data.stopped_at === null) return null;
  return (
    <>
      <Note
        tone="error"
        action={
          <Button size="small" onClick={() => setIsResuming(true)}>
            {texts.resume}
          </Button>
        }
      >
        <p>
          <b class="strong">{texts.stopped}</b> {data.stopped_by !== null && texts.by(data.stopped_by)} <Time at={data.stopped_at} />:{' '}
          <Foreign text={texts.quote(data.reason ?? '')} /> {texts.refused(data.num_refused)}{' '}
          <span class="secondary">{texts.receiving}</span>
        </p>
      </Note>
      {isResuming && (
        <ReasonSheet
          title={texts.resumeTitle}
          text={texts.resumeText}
          action={texts.resume}
          run={async (reason, options) => noteWithdrawals(await api.operator.resumeWithdrawals({ reason }, options))}
          onDone={withdrawals.reload}
          onClose={() => setIsResuming(false)}
        />
      )}
    </>
  );
}
