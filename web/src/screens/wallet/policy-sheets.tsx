import { api, type Wallet } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { FeesSheet } from '../../policy/fees-sheet.tsx';
import { LimitsSheet } from '../../policy/limits-sheet.tsx';
import type { Owner } from '../../policy/owner.ts';
import { t } from '../../texts/texts.ts';
import type { WalletSheetProps } from './sheets.tsx';

/** Sets the limits of the wallet. */
export function WalletLimitsSheet({ walletId, wallet, onClose }: WalletSheetProps) {
  // The card shows the same limits.
  const shown = useResource(`wallet limits ${walletId}`, (signal) => api.wallets.listLimits(walletId, {}, { signal }));
  return <LimitsSheet owner={ownerOf(walletId, wallet)} onChanged={shown.reload} onClose={onClose} />;
}

/** Sets the fees of the wallet, in place of those of its account. Only operators may. */
export function WalletFeesSheet({ walletId, wallet, onClose }: WalletSheetProps) {
  return <FeesSheet owner={ownerOf(walletId, wallet)} onChanged={() => undefined} onClose={onClose} />;
}

function ownerOf(id: string, wallet: Wallet | undefined): Owner {
  return { kind: 'wallet', id, name: wallet?.user_label || t.wallets.unnamed };
}
