import { api } from '../../api/client.ts';
import { ConfirmSheet } from '../../parts/confirm-sheet.tsx';
import { t } from '../../texts/texts.ts';
import type { WalletSheetProps } from './sheets.tsx';

export function DeactivateSheet({ walletId, wallet, onClose }: WalletSheetProps) {
  return (
    <ConfirmSheet
      title={t.wallet.deactivateTitle(wallet?.user_label || t.wallets.unnamed)}
      text={t.wallet.deactivateText}
      action={t.wallet.deactivate}
      tone="danger"
      onConfirm={() => api.wallets.update(walletId, { status: 'inactive' })}
      onClose={onClose}
    />
  );
}

export function ActivateSheet({ walletId, wallet, onClose }: WalletSheetProps) {
  return (
    <ConfirmSheet
      title={t.wallet.activateTitle(wallet?.user_label || t.wallets.unnamed)}
      text={t.wallet.activateText}
      action={t.wallet.activate}
      tone="primary"
      onConfirm={() => api.wallets.update(walletId, { status: 'active' })}
      onClose={onClose}
    />
  );
}
