import { useEffect, useMemo, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { SatchelError } from '../../api/client.ts';
import { useSession } from '../../api/session.tsx';
import { useCloseSheet } from '../../frame/close-sheet.ts';
import { forgetRecentWallet, keepRecentWallet } from '../../frame/recent-wallet.ts';
import { useShortcuts } from '../../frame/shortcuts.ts';
import { LinkButton } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { lazy } from '../../parts/lazy.tsx';
import { LoadError } from '../../parts/loaded.tsx';
import { useIsPhone } from '../../parts/use-is-phone.ts';
import { t } from '../../texts/texts.ts';
import { usePaste } from '../send/use-paste.ts';
import { BalanceCard } from './balance-card.tsx';
import { isSheetPath, WalletSheet } from './sheets.tsx';
import { TransactionsCard } from './transactions-card.tsx';
import { Trend } from './trend.tsx';
import { useWallet } from './use-wallet.ts';
import { WalletHead } from './wallet-head.tsx';
import './transactions.css';
import './wallet.css';

const ImportedCard = lazy(() => import('./imported-card.tsx').then((file) => file.ImportedCard));
const WalletLimits = lazy(() => import('./wallet-limits.tsx').then((file) => file.WalletLimits));

/** `/wallets/:id`, and with a sheet over it `/wallets/:id/receive`, `…/send` and so on. */
export function WalletScreen({ id, '*': sheet = '' }: { id: string; '*'?: string }) {
  const wallet = useWallet(id);
  const isMissing = wallet.error instanceof SatchelError && wallet.error.status === 404;
  const [, navigate] = useLocation();
  const path = `/wallets/${id}`;
  const isPhone = useIsPhone();
  const [hasChart, setHasChart] = useState(false);
  const close = useCloseSheet(path);
  usePaste(id);
  useRecent(id, wallet.data ? true : isMissing ? false : undefined);
  useEffect(() => {
    if (sheet === 'keys') navigate(`/keys?wallet=${id}`, { replace: true });
  }, [sheet, id, navigate]);
  useShortcuts(
    useMemo(
      () => ({
        r: () => navigate(`${path}/receive`),
        s: () => navigate(`${path}/send`),
        t: () => navigate(`${path}/transfer`),
      }),
      [path, navigate],
    ),
  );
  if (isMissing) return <NoSuchWallet />;
  return (
    <>
      <WalletHead id={id} wallet={wallet.data} />
      {wallet.error !== undefined && <LoadError error={wallet.error} onRetry={wallet.reload} loadedAt={wallet.data && wallet.loadedAt} />}
      {isPhone && <Trend id={id} wallet={wallet.data} isOpen={hasChart} onToggle={() => setHasChart(!hasChart)} />}
      {(!isPhone || hasChart) && (wallet.data || wallet.error === undefined) && <BalanceCard id={id} wallet={wallet.data} />}
      <TransactionsCard walletId={id} />
      <ImportedCard key={id} walletId={id} />
      <WalletLimits id={id} />
      {isSheetPath(sheet) && <WalletSheet path={sheet} walletId={id} wallet={wallet.data} onClose={close} />}
    </>
  );
}

/** The bar of a phone acts on the wallet that was opened last. `exists`: undefined until that is known. */
function useRecent(id: string, exists: boolean | undefined): void {
  const { account } = useSession();
  useEffect(() => {
    if (exists === true) keepRecentWallet(account.id, id);
    else if (exists === false) forgetRecentWallet(account.id);
  }, [account.id, id, exists]);
}

function NoSuchWallet() {
  return (
    <>
      <h1>{t.wallet.missingTitle}</h1>
      <Empty icon="wallet" title={t.wallet.missingTitle} action={<LinkButton href="/wallets">{t.wallet.allWallets}</LinkButton>}>
        {t.wallet.missing}
      </Empty>
    </>
  );
}
