import { api } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useNodeState } from '../../api/service-state.ts';
import { useCloseSheet } from '../../frame/close-sheet.ts';
import { LinkButton } from '../../parts/button.tsx';
import { Note } from '../../parts/note.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { t } from '../../texts/texts.ts';
import { isSheetPath, WalletSheet } from './sheets.tsx';

/** `/wallets/:id`, and with a sheet over it `/wallets/:id/receive`, `…/send` and so on. */
export function WalletScreen({ id, '*': sheet = '' }: { id: string; '*'?: string }) {
  const wallet = useResource(`wallet ${id}`, (signal) => api.getWallet({ key: id }, { signal }), {
    isAffected: ({ data }) => (data.wal ?? data.wtx?.wal)?.id === id,
  });
  const { reason } = useNodeState(wallet.data?.ln_node_id);
  const close = useCloseSheet(`/wallets/${id}`);
  return (
    <>
      <PageHead
        title={wallet.data?.user_label || t.wallets.unnamed}
        parent={{ href: '/wallets', label: t.wallets.title }}
        actions={
          <>
            <LinkButton kind="primary" icon="in" href={`/wallets/${id}/receive`}>
              {t.wallet.receive}
            </LinkButton>
            <LinkButton icon="out" href={`/wallets/${id}/send`}>
              {t.wallet.send}
            </LinkButton>
            <LinkButton icon="transfer" href={`/wallets/${id}/transfer`}>
              {t.wallet.transfer}
            </LinkButton>
          </>
        }
      />
      {reason !== undefined && <Note tone="warning">{reason}</Note>}
      {isSheetPath(sheet) && <WalletSheet path={sheet} walletId={id} wallet={wallet.data} onClose={close} />}
    </>
  );
}
