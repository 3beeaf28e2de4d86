import { useEffect, useState } from 'preact/hooks';
import { useNodeState } from '../../api/service-state.ts';
import { AttemptView } from '../../attempt/attempt-view.tsx';
import { useAttemptPage } from '../../attempt/use-attempt-page.ts';
import { draftOf, NO_AMOUNT } from '../../parts/amount-fields.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { money } from '../../texts/en-money.ts';
import type { WalletSheetProps } from '../wallet/sheets.tsx';
import { raisedFeeLimit } from './limits.ts';
import { takePastedText } from './pasted-text.ts';
import { type SendDraft, SendForm } from './send-form.tsx';
import { useOffer } from './use-offer.ts';

const EMPTY: SendDraft = { typed: '', amount: NO_AMOUNT, fee: undefined, comment: '', payerData: {} };

/** `/wallets/:id/send`, with `?attempt=` from the review of a payment to its end. */
export function SendSheet({ walletId, wallet, onClose }: WalletSheetProps) {
  const page = useAttemptPage(walletId, 'send');
  const [draft, setDraft] = useState<SendDraft>(() => ({ ...EMPTY, typed: takePastedText() }));
  // After a scan or a paste, the keyboard of a phone would cover the button.
  useEffect(() => {
    const { activeElement } = document;
    if (draft.typed !== '' && activeElement instanceof HTMLTextAreaElement && matchMedia('(pointer: coarse)').matches) activeElement.blur();
  }, []);
  const { attempt } = page;
  const { canSend, reason } = useNodeState(wallet?.ln_node_id);
  const reading = useOffer(draft.typed, walletId);
  const title = reading.offer?.kind === 'withdraw' ? money.send.claim : money.send.title;

  const enteredAgain = { typed: attempt?.summary.typed ?? '', amount: attempt ? draftOf(attempt.summary) : NO_AMOUNT };

  return (
    <Sheet title={attempt ? money.attempt.titles[attempt.progress.step] : title} onClose={onClose}>
      {page.isLoading && <Skeleton height="360px" />}
      {attempt && (
        <AttemptView
          attempt={attempt}
          wallet={wallet}
          blocked={canSend ? undefined : reason}
          onSend={page.send}
          onBack={() => {
            // After a reload, the form is empty.
            if (draft.typed === '') setDraft({ ...draft, ...enteredAgain });
            page.leave();
          }}
          onRaise={() => {
            setDraft({ ...draft, ...enteredAgain, fee: String(raisedFeeLimit(attempt.summary.feeLimitMsat)) });
            page.leave();
          }}
          onNew={() => {
            setDraft(EMPTY);
            page.leave();
          }}
          onClose={onClose}
        />
      )}
      {!page.isLoading && !attempt && (
        <SendForm
          walletId={walletId}
          wallet={wallet}
          draft={draft}
          onDraft={setDraft}
          reading={reading}
          open={page.open}
          onReview={page.review}
        />
      )}
    </Sheet>
  );
}
