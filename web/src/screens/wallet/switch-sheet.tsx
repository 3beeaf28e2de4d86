import { Link } from 'wouter-preact';
import { LinkButton } from '../../parts/button.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { WalletChoices } from '../../parts/wallet-choices.tsx';
import { phone } from '../../texts/en-phone.ts';
import { t } from '../../texts/texts.ts';
import type { WalletSheetProps } from './sheets.tsx';

/** `/wallets/:id/switch`: the other wallets, from the name of this one on a phone. */
export function SwitchSheet({ onClose }: WalletSheetProps) {
  return (
    <Sheet title={phone.choose.open} onClose={onClose}>
      <WalletChoices hrefOf={(id) => `/wallets/${id}`} />
      <div class="row">
        <Link class="small" href="/wallets">
          {t.wallet.allWallets}
        </Link>
        <span class="push">
          <LinkButton icon="plus" href="/wallets/new">
            {t.wallets.newWallet}
          </LinkButton>
        </span>
      </div>
    </Sheet>
  );
}
