import { useEffect } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { LinkButton } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Empty } from '../../parts/empty.tsx';
import { LoadError } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { WalletChoices } from '../../parts/wallet-choices.tsx';
import { useWalletSearch } from '../../parts/wallet-names.ts';
import { phone } from '../../texts/en-phone.ts';
import { t } from '../../texts/texts.ts';

/** `/receive` */
export function ReceiveScreen() {
  return <Choose action="receive" />;
}

/** `/send` */
export function SendScreen() {
  return <Choose action="send" />;
}

/** Asks for the wallet, unless there is only one, and opens its sheet. */
function Choose({ action }: { action: 'receive' | 'send' }) {
  const [, navigate] = useLocation();
  const { wallets, error } = useWalletSearch('');
  const only = wallets?.length === 1 ? wallets[0] : undefined;
  useEffect(() => {
    if (only) navigate(`/wallets/${only.id}/${action}`, { replace: true });
  }, [only?.id]);
  const isEmpty = wallets?.length === 0;
  return (
    <>
      <PageHead title={phone.choose.titles[action]} />
      {error !== undefined && <LoadError error={error} onRetry={() => location.reload()} />}
      {isEmpty && (
        <Empty icon="wallet" title={t.wallets.emptyTitle} action={<LinkButton href="/wallets/new">{t.wallets.newWallet}</LinkButton>}>
          {t.wallets.empty}
        </Empty>
      )}
      {!isEmpty && !only && error === undefined && (
        <Card isPadded>
          <WalletChoices hrefOf={(id) => `/wallets/${id}/${action}`} />
        </Card>
      )}
    </>
  );
}
