import { Link } from 'wouter-preact';
import { api, SatchelError } from '../../api/client.ts';
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
import { ConnectionStatus, Disconnect, End, itemOfConnection, LastUse } from './connection-table.tsx';
import './connections.css';

/** The last use changes without events. */
const REFRESH_MS = 15_000;

/** `/connections/:id`: what an app may do with a wallet, and what it has used of its limits. */
export function ConnectionScreen({ id }: { id: string }) {
  const connection = useResource(`connection of account ${id}`, (signal) => api.connections.find(id, {}, { signal }), {
    everyMs: REFRESH_MS,
    isAffected: ({ event }) => event.name.startsWith('key_'),
  });
  const { data, error } = connection;
  const labels = useWalletLabels(data ? [data.wallet_id] : []);
  const parent = { href: '/connections', label: t.navigation.apps };
  if (error instanceof SatchelError && error.status === 404)
    return (
      <>
        <PageHead title={apps.missingTitle} parent={parent} />
        <Empty icon="plug" title={apps.missingTitle} action={<LinkButton href="/connections">{t.navigation.apps}</LinkButton>}>
          {t.wallet.missing}
        </Empty>
      </>
    );
  const item = data && itemOfConnection(data);
  return (
    <>
      <PageHead
        title={item?.name ?? apps.app}
        parent={parent}
        aside={item && <ConnectionStatus item={item} />}
        actions={item && <Disconnect item={item} onChanged={connection.reload} />}
      />
      <Card isPadded>
        <Loaded resource={connection}>
          {(one) => {
            const shown = itemOfConnection(one);
            return (
              <Details
                entries={[
                  [
                    apps.wallet,
                    <Link key="wallet" href={`/wallets/${one.wallet_id}`}>
                      <bdi>{labels.get(one.wallet_id) ?? one.wallet_id}</bdi>
                    </Link>,
                  ],
                  [
                    apps.may,
                    one.permissions.map((each) => apps.permissions[each as keyof typeof apps.permissions]?.[0] ?? each).join(', '),
                  ],
                  [apps.budget, <Budget key="budget" limits={one} canSend={shown.canSend} />],
                  [apps.lastUsed, <LastUse key="use" item={shown} />],
                  [apps.ends, <End key="end" item={shown} />],
                  [apps.made, <Time key="made" at={one.created_at} />],
                  [apps.publicKey, <Identifier key="key" value={one.client_pubkey} label={apps.publicKey} />],
                  [apps.relays, <bdi key="relays">{one.relays.join(', ')}</bdi>],
                ]}
              />
            );
          }}
        </Loaded>
      </Card>
    </>
  );
}
