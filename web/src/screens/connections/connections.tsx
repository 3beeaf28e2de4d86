import { useEffect, useState } from 'preact/hooks';
import { useLocation, useSearch } from 'wouter-preact';
import { HAS_LNDHUB, HAS_NWC } from '../../api/app-protocols.ts';
import { api } from '../../api/client.ts';
import { csvUrl } from '../../api/list.ts';
import { useCloseSheet } from '../../frame/close-sheet.ts';
import { LinkButton } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Note } from '../../parts/note.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Segments } from '../../parts/segments.tsx';
import { useFilters } from '../../parts/use-filters.ts';
import { type ShownList, useList } from '../../parts/use-list.tsx';
import { useChosenWallet, useWalletLabels, useWalletSearch } from '../../parts/wallet-names.ts';
import { WalletSelect } from '../../parts/wallet-select.tsx';
import { apps } from '../../texts/en-apps.ts';
import { t } from '../../texts/texts.ts';
import { ConnectSheet } from './connect-sheet.tsx';
import { type ConnectionItem, ConnectionTable, itemOfConnection, itemOfKey } from './connection-table.tsx';
import './connections.css';

/** The last use of apps changes without events. */
const REFRESH_MS = 15_000;

const STATUSES = ['active', 'ended'] as const;
type Status = (typeof STATUSES)[number];
const KINDS = ['all', 'nwc', 'keys'] as const;

/** `/connections?kind=&status=&wallet=`: the apps that use the wallets of the account, and the sheet `/connections/new`. */
export function ConnectionsScreen() {
  const [path] = useLocation();
  const search = useSearch();
  const [parameters, change] = useFilters();
  const walletId = parameters.get('wallet') ?? '';
  const chosen = useChosenWallet(parameters);
  const hasNoWallet = useWalletSearch('').wallets?.length === 0;
  const status = STATUSES.find((one) => one === parameters.get('status')) ?? 'active';
  const kind = KINDS.find((one) => one === parameters.get('kind')) ?? 'all';
  const { connections, keys, reload } = useConnections(walletId, status);
  const [madeId, setMadeId] = useState<string>();
  const query = search === '' ? '' : `?${search}`;
  const close = useCloseSheet('/connections');
  useMovedAddress(query);

  /** The list shows what was just made, whatever was filtered. */
  function select(id: string) {
    setMadeId(id);
    change({ status: undefined, kind: undefined });
    reload();
  }

  return (
    <>
      <PageHead
        title={t.navigation.apps}
        actions={
          (HAS_NWC || HAS_LNDHUB) && (
            <LinkButton kind="primary" icon="plug" href={`/connections/new${query}`}>
              {apps.connect}
            </LinkButton>
          )
        }
      />
      {!HAS_NWC && <Note tone="warning">{HAS_LNDHUB ? apps.off : apps.offBoth}</Note>}
      <div class="row wrap connection-filters">
        <Segments
          label={apps.status}
          value={status}
          options={STATUSES.map((value) => ({ value, label: apps.statuses[value] }))}
          onChange={(value) => change({ status: value === 'active' ? undefined : value })}
        />
        <Segments
          label={apps.filterKind}
          value={kind}
          options={KINDS.map((value) => ({ value, label: apps.filterKinds[value] }))}
          onChange={(value) => change({ kind: value === 'all' ? undefined : value })}
        />
        <div class="wallet-filter">
          <WalletSelect label={apps.wallet} none={t.events.allWallets} value={walletId} onValue={(wallet) => change({ wallet })} />
        </div>
      </div>
      {hasNoWallet ? (
        <Empty icon="wallet" title={apps.noWalletTitle} action={<LinkButton href="/wallets/new">{t.wallets.newWallet}</LinkButton>}>
          {apps.noWallet}
        </Empty>
      ) : (
        <>
          {kind !== 'keys' && (
            <ConnectionCard
              title={apps.nwcApps}
              list={connections}
              toItem={itemOfConnection}
              empty={{ title: apps.emptyTitle[status], text: apps.empty[status] }}
              madeId={madeId}
              onChanged={reload}
            />
          )}
          {kind !== 'nwc' && (
            <ConnectionCard
              title={apps.walletApps}
              list={keys}
              toItem={itemOfKey}
              empty={{ title: apps.noKeysTitle, text: apps.noKeys }}
              madeId={madeId}
              onChanged={reload}
            />
          )}
        </>
      )}
      {HAS_LNDHUB && <LndhubNote walletId={chosen} />}
      {path === '/connections/new' && <ConnectSheet walletId={chosen} onConnected={select} onClose={close} />}
    </>
  );
}

/** Replaces the former addresses of these pages. */
function useMovedAddress(query: string): void {
  const [path, navigate] = useLocation();
  const moved = { '/apps': '/connections', '/apps/connect': '/connections/new' }[path];
  useEffect(() => {
    if (moved !== undefined) navigate(`${moved}${query}`, { replace: true });
  }, [moved, query, navigate]);
}

/** Links to the keys with which apps log in over LNDhub. */
function LndhubNote({ walletId }: { walletId: string }) {
  return (
    <Note
      action={
        <LinkButton size="small" href={`/keys?wallet=${walletId}`}>
          {apps.lndhubKeys}
        </LinkButton>
      }
    >
      {apps.lndhubNote}
    </Note>
  );
}

/** The apps over Nostr Wallet Connect, and the labelled access keys, which LNDhub apps and programs use. Both over all wallets. */
function useConnections(walletId: string, status: Status) {
  const filter = { status, ...(walletId !== '' && { wallet_id: walletId }) };
  const key = `${walletId} ${status}`;
  const options = { everyMs: REFRESH_MS, isAffected: ({ event }: { event: { name: string } }) => event.name.startsWith('key_') };
  const connections = useList(`connections ${key}`, (request, own) => api.connections.listAll({ ...request, ...filter }, own), {
    ...options,
    csv: csvUrl('connections', filter),
  });
  const keys = useList(`wallet apps ${key}`, (request, own) => api.keys.list({ ...request, ...filter, of: 'wallets' }, own), {
    ...options,
    csv: csvUrl('keys', { ...filter, of: 'wallets' }),
  });
  const reload = () => {
    connections.page.reload();
    keys.page.reload();
  };
  return { connections, keys, reload };
}

interface ConnectionCardProps<T> {
  readonly title: string;
  readonly list: ShownList<T>;
  readonly toItem: (one: T) => ConnectionItem;
  readonly empty: { readonly title: string; readonly text: string };
  readonly madeId: string | undefined;
  readonly onChanged: () => void;
}

function ConnectionCard<T>({ title, list, toItem, empty, madeId, onChanged }: ConnectionCardProps<T>) {
  const items = (list.page.data?.items ?? []).map(toItem);
  const labels = useWalletLabels(items.map((item) => item.walletId));
  return (
    <Card title={title} footer={list.footer}>
      <Loaded resource={list.page}>
        {() =>
          items.length === 0 ? (
            <Empty icon="plug" title={empty.title}>
              {empty.text}
            </Empty>
          ) : (
            <ConnectionTable items={items} labels={labels} madeId={madeId} onChanged={onChanged} />
          )
        }
      </Loaded>
    </Card>
  );
}
