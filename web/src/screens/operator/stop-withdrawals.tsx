import { useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { noteWithdrawals, useServiceState } from '../../api/service-state.ts';
import { Button } from '../../parts/button.tsx';
import { desk } from '../../texts/en-desk.ts';
import { ReasonSheet } from './reason-sheet.tsx';

const texts = desk.withdrawals;

/** Asks for the reason, which customers read, and stops all payments that leave the service. Nothing while they are stopped: the banner resumes them. */
export function StopWithdrawals({ inFlight, onDone }: { inFlight: number; onDone: () => void }) {
  const [isOpen, setIsOpen] = useState(false);
  const { withdrawals } = useServiceState();
  if (withdrawals === 'stopped') return null;
  return (
    <>
      <Button kind="danger" icon="stop" onClick={() => setIsOpen(true)}>
        {texts.stop}
      </Button>
      {isOpen && (
        <ReasonSheet
          title={texts.stopTitle}
          text={
            <p>
              {texts.stopText} {inFlight > 0 && <b class="strong">{texts.inFlight(inFlight)}</b>}
            </p>
          }
          label={texts.stopReason}
          hint={texts.stopHint}
          action={texts.stop}
          tone="danger"
          run={async (reason, options) => noteWithdrawals(await api.operator.stopWithdrawals({ reason }, options))}
          onDone={onDone}
          onClose={() => setIsOpen(false)}
        />
      )}
    </>
  );
}
