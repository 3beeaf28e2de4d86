import type { OutsidePayment } from '../../api/client.ts';
import { formatMsat } from '../../parts/amount.tsx';
import { Note } from '../../parts/note.tsx';
import { t } from '../../texts/texts.ts';

const TONES = { succeeded: 'good', pending: 'warning', failed: 'error' } as const;

/** How a payment of an outside node has ended. */
export function Outcome({ payment }: { payment: OutsidePayment | undefined }) {
  if (!payment) return null;
  const { state, amount_msat: msat } = payment;
  const tone = state in TONES ? TONES[state as keyof typeof TONES] : 'info';
  return (
    <div role="status">
      <Note tone={tone === 'error' ? 'warning' : tone}>{t.playground.outcomes[state]?.(formatMsat(msat)) ?? state}</Note>
    </div>
  );
}
