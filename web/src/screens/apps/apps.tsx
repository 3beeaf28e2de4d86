import { useLocation } from 'wouter-preact';
import { HAS_LNDHUB, HAS_NWC } from '../../api/app-protocols.ts';
import { api, type Connection } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useCloseSheet } from '../../frame/close-sheet.ts';
import { LinkButton } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Note } from '../../parts/note.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Segments } from '../../parts/segments.tsx';
import { useFilters } from '../../parts/use-filters.ts';
import { useChosenWallet, useWalletSearch } from '../../parts/wallet-names.ts';
import { WalletSelect } from '../../parts/wallet-select.tsx';
import { apps } from '../../texts/en-apps.ts';
import { t } from '../../texts/texts.ts';
import { AppRow } from './app-row.tsx';
import { ConnectSheet } from './connect-sheet.tsx';
import './apps.css';

/** The last use of apps changes without events. */
const REFRESH_MS = 15_000;
/** Enough for every wallet that people manage by hand. */
const MAX_APPS = 100;

type Status = 'active' | 'ended';

/** `/apps`: the connected apps of the wallet in `?wallet=`. `?status=ended` shows those that are no longer connected. */
export function AppsScreen() {
  const [path] = useLocation();
  const [search, change] = useFilters();
  const walletId = useChosenWallet(search);
  const hasNoWallet = useWalletSearch('').wallets?.length === 0;
  const status: Status = search.get('status') === 'ended' ? 'ended' : 'active';
  const connections = useResource(
    walletId === '' ? undefined : `connections ${walletId}`,
    (signal) => api.connections.list(walletId, { 'per-page': MAX_APPS }, { signal }),
    { isAffected: ({ event, data }) => event.name.startsWith('key_') || data.wtx?.wal.id === walletId, everyMs: REFRESH_MS },
  );
  const query = search.size > 0 ? `?${search}` : '';
  const close = useCloseSheet('/apps');
  const ofStatus = (one: Status) => connections.data?.filter((connection) => statusOf(connection) === one) ?? [];
  const countLabel = (one: Status) => [apps.statuses[one], ofStatus(one).length || ''].join(' ').trim();
  const connectButton = (
    <LinkButton kind="primary" icon="plug" href={`/apps/connect${query}`}>
      {apps.connect}
    </LinkButton>
  );

  return (
    <>
      <PageHead title={apps.title} actions={(HAS_NWC || HAS_LNDHUB) && connectButton} />
      {!HAS_NWC && <Note tone="warning">{HAS_LNDHUB ? apps.off : apps.offBoth}</Note>}
      <Card
        title={
          <Segments
            label={apps.status}
            value={status}
            options={(['active', 'ended'] as const).map((value) => ({ value, label: countLabel(value) }))}
            onChange={(value) => change({ status: value === 'active' ? undefined : value })}
          />
        }
        actions={
          <div class="wallet-filter">
            <WalletSelect label={apps.of} value={walletId} onValue={(wallet) => change({ wallet })} />
          </div>
        }
      >
        {hasNoWallet ? (
          <Empty icon="wallet" title={apps.noWalletTitle} action={<LinkButton href="/wallets/new">{t.wallets.newWallet}</LinkButton>}>
            {apps.noWallet}
          </Empty>
        ) : (
          <Loaded resource={connections}>
            {() =>
              ofStatus(status).length === 0 ? (
                <Empty icon="plug" title={apps.emptyTitle[status]}>
                  {apps.empty[status]}
                </Empty>
              ) : (
                <AppTable connections={ofStatus(status)} onChanged={connections.reload} />
              )
            }
          </Loaded>
        )}
      </Card>
      {HAS_LNDHUB && (
        <Note
          action={
            <LinkButton size="small" href={`/keys?wallet=${walletId}`}>
              {apps.lndhubKeys}
            </LinkButton>
          }
        >
          {apps.lndhubNote}
        </Note>
      )}
      {path === '/apps/connect' && <ConnectSheet walletId={walletId} onConnected={connections.reload} onClose={close} />}
    </>
  );
}

function statusOf({ status }: Connection): Status {
  return status === 'active' ? 'active' : 'ended';
}

function AppTable({ connections, onChanged }: { connections: readonly Connection[]; onChanged: () => void }) {
  return (
    <table class="table">
      <thead>
        <tr>
          <th>{apps.app}</th>
          <th class="desktop-only">{apps.budget}</th>
          <th class="desktop-only">{apps.lastUsed}</th>
          <th class="desktop-only">{apps.ends}</th>
          <th class="end">
            <span class="visually-hidden">{apps.actions}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {connections.map((connection) => (
          <AppRow key={connection.id} connection={connection} onChanged={onChanged} />
        ))}
      </tbody>
    </table>
  );
}
