import { useState } from 'preact/hooks';
import { useAction } from '../../api/action.ts';
import type { OutsidePayment } from '../../api/client.ts';
import { formatMsat } from '../../parts/amount.tsx';
import { Note } from '../../parts/note.tsx';
import { playground } from '../../texts/en-playground.ts';

type Paid = Pick<OutsidePayment, 'state' | 'amount_msat'>;

/** A payment to or from an outside node: starts it, and shows how it has ended. */
export function useOutsidePayment(pay: () => Promise<Paid>, onPaid: () => void) {
  const [paid, setPaid] = useState<Paid>();
  const { run, isBusy, error } = useAction(async () => {
    setPaid(undefined);
    try {
      setPaid(await pay());
    } finally {
      onPaid();
    }
  });
  const outcome = (
    <>
      {error !== undefined && <Note tone="error">{error}</Note>}
      {paid && <Outcome payment={paid} />}
    </>
  );
  return { run, isBusy, outcome };
}

const TONES = { succeeded: 'good', pending: 'warning', failed: 'warning' } as const;

function Outcome({ payment: { state, amount_msat: msat } }: { payment: Paid }) {
  const tone = state in TONES ? TONES[state as keyof typeof TONES] : 'info';
  return (
    <div role="status">
      <Note tone={tone}>{playground.outcomes[state]?.(formatMsat(msat)) ?? state}</Note>
    </div>
  );
}
