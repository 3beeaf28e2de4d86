import { api } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { t } from '../../texts/texts.ts';

export function WalletsScreen() {
  const wallets = useResource('wallets', (signal) => api.listWallets({ 'per-page': 100 }, { signal }), {
    isAffected: ({ data }) => data.wal !== undefined || data.wtx !== undefined,
  });
  return (
    <>
      <h1>{t.wallets.title}</h1>
      <ul>
        {wallets.data?.map((wallet) => (
          <li key={wallet.id}>
            <bdi>{wallet.user_label || t.wallets.unnamed}</bdi> {wallet.balance} {t.common.sats}
          </li>
        ))}
      </ul>
    </>
  );
}
