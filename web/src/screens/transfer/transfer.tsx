import { useState } from 'preact/hooks';
import { nodeStateOf, useServiceState } from '../../api/service-state.ts';
import { AttemptView } from '../../attempt/attempt-view.tsx';
import { useAttemptPage } from '../../attempt/use-attempt-page.ts';
import { NO_AMOUNT } from '../../parts/amount-fields.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { money } from '../../texts/en-money.ts';
import type { WalletSheetProps } from '../wallet/sheets.tsx';
import { type TransferDraft, TransferForm } from './transfer-form.tsx';

const EMPTY: TransferDraft = { search: '', destination: undefined, amount: NO_AMOUNT, memo: '' };

/** `/wallets/:id/transfer`, with `?attempt=` from the review of a transfer to its end. */
export function TransferSheet({ walletId, wallet, onClose }: WalletSheetProps) {
  const page = useAttemptPage(walletId, 'transfer');
  const [draft, setDraft] = useState(EMPTY);
  // The nodes have no part in a transfer.
  const { reason } = nodeStateOf({ ...useServiceState(), node: 'ok', nodes: {} });
  const { attempt } = page;
  return (
    <Sheet title={attempt ? money.attempt.titles[attempt.progress.step] : money.transfer.title} onClose={onClose}>
      {page.isLoading && <Skeleton height="360px" />}
      {attempt && (
        <AttemptView
          attempt={attempt}
          wallet={wallet}
          blocked={reason}
          onSend={page.send}
          onBack={page.leave}
          onNew={() => {
            setDraft(EMPTY);
            page.leave();
          }}
          onClose={onClose}
        />
      )}
      {!page.isLoading && !attempt && (
        <TransferForm
          walletId={walletId}
          wallet={wallet}
          draft={draft}
          blocked={reason}
          onDraft={setDraft}
          open={page.open}
          onReview={page.review}
        />
      )}
    </Sheet>
  );
}
