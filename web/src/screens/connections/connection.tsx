import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import { api, type Connection, type Key, SatchelError } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { Budget } from '../../parts/budget.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Details } from '../../parts/details.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Identifier } from '../../parts/identifier.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Time } from '../../parts/time.tsx';
import { useWalletLabels } from '../../parts/wallet-names.ts';
import { apps } from '../../texts/en-apps.ts';
import { t } from '../../texts/texts.ts';
import { ConnectionStatus, Disconnect, End, itemOfConnection, itemOfKey, LastUse } from './connection-table.tsx';
import { keyName, PaymentsOfKey } from './payments-of-key.tsx';
import './connections.css';

/** The last use changes without events. */
const REFRESH_MS = 15_000;

/** `/connections/:id`: what an app or a key may do, what it has used of its limits, and what it has paid. */
export function ConnectionScreen({ id }: { id: string }) {
  const connection = useResource<Connection | Key>(
    // The list of payments has the totals of the same response.
    id.startsWith('key_') ? keyName(id) : `connection of account ${id}`,
    (signal) => (id.startsWith('key_') ? api.keys.get(id, {}, { signal }) : api.connections.find(id, {}, { signal })),
    { everyMs: REFRESH_MS, isAffected: ({ event }) => event.name.startsWith('key_') },
  );
  const { data, error } = connection;
  const isOfAccount = data?.wallet_id === null;
  const parent = isOfAccount ? { href: '/keys', label: t.keys.title } : { href: '/connections', label: t.navigation.apps };
  if (error instanceof SatchelError && error.status === 404)
    return (
      <>
        <PageHead title={apps.missingTitle} parent={parent} />
        <Empty icon="plug" title={apps.missingTitle} action={<LinkButton href="/connections">{t.navigation.apps}</LinkButton>}>
          {t.wallet.missing}
        </Empty>
      </>
    );
  const item = data && itemOf(data);
  return (
    <>
      <PageHead
        title={item?.name ?? apps.app}
        parent={parent}
        aside={item && <ConnectionStatus item={item} />}
        actions={item && <Disconnect item={item} onChanged={connection.reload} />}
      />
      <Card isPadded>
        <Loaded resource={connection}>{(one) => <ConnectionDetails connection={one} />}</Loaded>
      </Card>
      {data && <PaymentsOfKey keyId={'key_id' in data ? data.key_id : data.id} walletId={data.wallet_id ?? undefined} />}
    </>
  );
}

function itemOf(one: Connection | Key) {
  return 'key_id' in one ? itemOfConnection(one) : itemOfKey(one);
}

function ConnectionDetails({ connection }: { connection: Connection | Key }) {
  const { wallet_id: walletId, created_at: createdAt } = connection;
  const labels = useWalletLabels(walletId === null ? [] : [walletId]);
  const item = itemOf(connection);
  const names = walletId === null ? { ...t.keys, ends: t.keys.expires, made: t.links.created } : apps;
  const protocol: [string, ComponentChildren][] =
    'key_id' in connection
      ? [
          [apps.may, connection.permissions.map((one) => apps.permissions[one as keyof typeof apps.permissions]?.[0] ?? one).join(', ')],
          [apps.publicKey, <Identifier key="key" value={connection.client_pubkey} label={apps.publicKey} />],
          [apps.relays, <bdi key="relays">{connection.relays.join(', ')}</bdi>],
        ]
      : [
          [names.may, t.keys.kinds[connection.kind] ?? connection.kind],
          [
            t.keys.key,
            <span key="hint" class="mono">
              {connection.hint}
            </span>,
          ],
        ];
  return (
    <Details
      entries={[
        [
          apps.wallet,
          walletId !== null && (
            <Link key="wallet" href={`/wallets/${walletId}`}>
              <bdi>{labels.get(walletId) ?? walletId}</bdi>
            </Link>
          ),
        ],
        ...protocol.slice(0, 1),
        [apps.budget, <Budget key="budget" limits={connection} canSend={item.canSend} />],
        [apps.lastUsed, <LastUse key="use" item={item} />],
        [names.ends, <End key="end" item={item} />],
        [names.made, <Time key="made" at={createdAt} />],
        ...protocol.slice(1),
      ]}
    />
  );
}
