import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import type { Key, NewKey } from '../../api/client.ts';
import { csvUrl } from '../../api/list.ts';
import { useCloseSheet } from '../../frame/close-sheet.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Note } from '../../parts/note.tsx';
import { optionsOf } from '../../parts/options.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { SecretOnce } from '../../parts/secret-once.tsx';
import { Segments } from '../../parts/segments.tsx';
import { useFilters } from '../../parts/use-filters.ts';
import { useList } from '../../parts/use-list.tsx';
import { WalletSelect } from '../../parts/wallet-select.tsx';
import { t } from '../../texts/texts.ts';
import { KeyRow } from './key-row.tsx';
import { keysOf } from './keys-of.ts';
import { NewKeySheet } from './new-key.tsx';
import './keys.css';

const STATUSES = ['active', 'expired', 'revoked'] as const;

/** The last use of keys changes without events. */
const REFRESH_MS = 15_000;

/** `/keys`: the keys of the account, or with `?wallet=` those of a wallet. `?status=` chooses which. */
export function KeysScreen() {
  const [path, navigate] = useLocation();
  const [search, change] = useFilters();
  const [created, setCreated] = useState<NewKey>();
  const walletId = search.get('wallet') ?? '';
  const status = STATUSES.find((one) => one === search.get('status')) ?? 'active';
  const owner = keysOf(walletId);
  const keys = useList(`keys ${walletId} ${status}`, (request, options) => owner.list({ ...request, status }, options), {
    isAffected: ({ event, data }) => event.name.startsWith('key_') || data.wtx?.wal.id === walletId,
    everyMs: REFRESH_MS,
    csv: csvUrl(walletId === '' ? 'keys' : `wallet/${walletId}/keys`, { status }),
  });
  const query = search.size > 0 ? `?${search}` : '';
  const close = useCloseSheet('/keys');

  function finish(key: NewKey) {
    setCreated(key);
    keys.page.reload();
  }
  // The list shows what was just created.
  useEffect(() => {
    if (created && path === '/keys') change({ wallet: created.wallet_id ?? undefined, status: undefined });
  }, [created, path]);

  return (
    <>
      <PageHead
        title={t.keys.title}
        actions={
          <Button icon="plus" onClick={() => navigate(`/keys/new${query}`)}>
            {t.keys.newKey}
          </Button>
        }
      />
      {created && (
        <SecretOnce
          title={t.keys.created(created.user_label || created.hint)}
          secret={created.key}
          copyLabel={t.keys.copyKey}
          onStored={() => setCreated(undefined)}
        />
      )}
      <Card
        title={
          <Segments
            label={t.keys.status}
            value={status}
            options={optionsOf(t.statuses, STATUSES)}
            onChange={(value) => change({ status: value === 'active' ? undefined : value })}
          />
        }
        actions={
          <div class="wallet-filter">
            <WalletSelect label={t.keys.of} none={t.keys.account} value={walletId} onValue={(wallet) => change({ wallet })} />
          </div>
        }
        footer={keys.footer}
      >
        <Loaded resource={keys.page}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty icon="key" title={t.keys.emptyTitle[status] ?? ''}>
                {t.keys.empty}
              </Empty>
            ) : (
              <KeyTable keys={items} owner={owner} createdId={created?.id} onCreated={finish} onChanged={keys.page.reload} />
            )
          }
        </Loaded>
      </Card>
      <Note>{t.keys.legend}</Note>
      {path === '/keys/new' && <NewKeySheet walletId={walletId} onCreated={finish} onClose={close} />}
    </>
  );
}

function KeyTable(props: {
  keys: readonly Key[];
  owner: ReturnType<typeof keysOf>;
  createdId: string | undefined;
  onCreated: (key: NewKey) => void;
  onChanged: () => void;
}) {
  const { keys, ...rest } = props;
  return (
    <table class="table">
      <thead>
        <tr>
          <th>{t.keys.key}</th>
          <th class="desktop-only">{t.keys.may}</th>
          <th class="desktop-only">{t.keys.budget}</th>
          <th class="desktop-only">{t.keys.lastUsed}</th>
          <th class="desktop-only">{t.keys.expires}</th>
          <th class="end">
            <span class="visually-hidden">{t.keys.actions}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <KeyRow key={key.id} listed={key} {...rest} />
        ))}
      </tbody>
    </table>
  );
}
