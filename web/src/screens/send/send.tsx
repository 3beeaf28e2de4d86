import { useState } from 'preact/hooks';
import { useNodeState } from '../../api/service-state.ts';
import { AttemptView } from '../../attempt/attempt-view.tsx';
import { useAttemptPage } from '../../attempt/use-attempt-page.ts';
import { Sheet } from '../../parts/sheet.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { t } from '../../texts/texts.ts';
import type { WalletSheetProps } from '../wallet/sheets.tsx';
import { type SendDraft, SendForm } from './send-form.tsx';

/** `/wallets/:id/send`, with `?attempt=` from the review of a payment to its end. */
export function SendSheet({ walletId, wallet, onClose }: WalletSheetProps) {
  const page = useAttemptPage(walletId, 'send');
  const [draft, setDraft] = useState<SendDraft>(() => ({ typed: pastedText(), amount: '', fee: undefined, comment: '', payerData: {} }));
  const { attempt } = page;
  const { canSend, reason } = useNodeState(wallet?.ln_node_id);

  if (page.isLoading)
    return (
      <Sheet title={t.send.title} onClose={onClose}>
        <Skeleton height="360px" />
      </Sheet>
    );
  if (attempt)
    return (
      <AttemptView
        attempt={attempt}
        wallet={wallet}
        blocked={canSend ? undefined : reason}
        onSend={page.send}
        onBack={() => {
          const isLoaded = draft.typed !== '';
          if (!isLoaded) setDraft({ ...draft, typed: attempt.summary.typed, amount: String(attempt.summary.sats) });
          page.leave();
        }}
        onRaise={() => {
          const doubled = Math.max(20, Math.ceil(attempt.summary.feeLimitMsat / 500));
          setDraft({ ...draft, typed: attempt.summary.typed, amount: String(attempt.summary.sats), fee: String(doubled) });
          page.leave();
        }}
        onNew={() => {
          setDraft({ typed: '', amount: '', fee: undefined, comment: '', payerData: {} });
          page.leave();
        }}
        onClose={onClose}
      />
    );
  return (
    <Sheet title={t.send.title} onClose={onClose}>
      <SendForm walletId={walletId} wallet={wallet} draft={draft} onDraft={setDraft} open={page.open} onReview={page.review} />
    </Sheet>
  );
}

/** The text that was pasted outside a field, which opened this sheet. It is not in the address: a withdraw link is money. */
function pastedText(): string {
  const state: unknown = history.state;
  return typeof state === 'object' && state !== null && 'pasted' in state && typeof state.pasted === 'string' ? state.pasted : '';
}
