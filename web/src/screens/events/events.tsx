import { useEffect, useState } from 'preact/hooks';
import { api, type Event } from '../../api/client.ts';
import { onEvent, useLiveState } from '../../api/live.ts';
import { useResource } from '../../api/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { Card } from '../../parts/card.tsx';
import { Empty } from '../../parts/empty.tsx';
import { SelectField } from '../../parts/field.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { optionsOf } from '../../parts/options.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { useFilters } from '../../parts/use-filters.ts';
import { WalletSelect } from '../../parts/wallet-select.tsx';
import { t } from '../../texts/texts.ts';
import { EventTable } from './event-table.tsx';
import { EVENT_TYPES } from './event-types.ts';
import { latestEvents } from './latest-events.ts';
import './events.css';

/** More than a person reads; older ones are in the API. */
const MAX_SHOWN = 200;

/** `/events?type=&wallet=`: what happens in the account, as it happens. */
export function EventsScreen() {
  const [search, change] = useFilters();
  const [type, walletId] = [search.get('type') ?? '', search.get('wallet') ?? ''];
  const filter = { ...(type !== '' && { type }), ...(walletId !== '' && { wallet_id: walletId }) };
  const stored = useResource(`events ${type} ${walletId}`, (signal) =>
    latestEvents((request, options) => api.events.list(request, options), filter, signal),
  );
  const arrived = useArrivedEvents((event) => (type === '' || event.type === type) && (walletId === '' || walletOf(event) === walletId));
  const live = useLiveState();

  return (
    <>
      <PageHead
        title={t.events.title}
        aside={
          <Badge tone={live === 'live' ? 'done' : 'waiting'} icon="lightning">
            {t.events.states[live]}
          </Badge>
        }
      />
      <Card>
        <div class="padded event-filters">
          <SelectField
            label={t.events.type}
            value={type}
            onValue={(type) => change({ type })}
            options={[{ value: '', label: t.events.all }, ...optionsOf({}, EVENT_TYPES)]}
          />
          <WalletSelect label={t.events.wallet} none={t.events.allWallets} value={walletId} onValue={(wallet) => change({ wallet })} />
        </div>
        <Loaded resource={stored}>
          {(list) => {
            const known = new Set(list.map(({ id }) => id));
            const events = [...arrived.filter(({ id }) => !known.has(id)), ...list].slice(0, MAX_SHOWN);
            if (events.length > 0) return <EventTable events={events} />;
            return (
              <Empty icon="activity" title={t.events.emptyTitle}>
                {t.events.empty}
              </Empty>
            );
          }}
        </Loaded>
      </Card>
    </>
  );
}

/** Returns the events since the screen was opened, newest first. */
function useArrivedEvents(isWanted: (event: Event) => boolean): readonly Event[] {
  const [arrived, setArrived] = useState<readonly Event[]>([]);
  useEffect(() => onEvent((event) => setArrived((events) => [event, ...events].slice(0, MAX_SHOWN))), []);
  return arrived.filter(isWanted);
}

/** Returns the id of the wallet that an event concerns. */
export function walletOf({ data }: Event): string | undefined {
  return data.wtx?.wal.id ?? data.wal?.id ?? data.key?.wallet_id ?? undefined;
}
