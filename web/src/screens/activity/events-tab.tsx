import { useRef, useState } from 'preact/hooks';
import { api, type Event } from '../../api/client.ts';
import { csvUrl, readListPage } from '../../api/list.ts';
import { useResource } from '../../api/resource.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Empty } from '../../parts/empty.tsx';
import { SelectField } from '../../parts/field.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { optionsOf } from '../../parts/options.ts';
import { ListFooter, usePages } from '../../parts/pages.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { useFilters } from '../../parts/use-filters.ts';
import { useIsAbove } from '../../parts/use-is-above.ts';
import { WalletSelect } from '../../parts/wallet-select.tsx';
import { activity } from '../../texts/en-activity.ts';
import { t } from '../../texts/texts.ts';
import { MAX_ARRIVED, mergeEvents, useArrivedEvents } from './arrived-events.ts';
import { EventTable } from './event-table.tsx';
import { EVENT_TYPES } from './event-types.ts';

const PER_PAGE = 50;

/** `/activity/events?type=&wallet=`: what happens in the account, newest first. */
export function EventsTab() {
  const [search, change] = useFilters();
  const [type, walletId] = [search.get('type') ?? '', search.get('wallet') ?? ''];
  return (
    <Card class="events">
      <div class="padded event-filters">
        <SelectField
          label={t.events.type}
          value={type}
          onValue={(type) => change({ type })}
          options={[{ value: '', label: t.events.all }, ...optionsOf(activity.names, EVENT_TYPES)]}
        />
        <WalletSelect label={t.events.wallet} none={t.events.allWallets} value={walletId} onValue={(wallet) => change({ wallet })} />
      </div>
      <Events key={`${type} ${walletId}`} type={type} walletId={walletId} />
    </Card>
  );
}

/** A page of events. The first one also has those that arrive, unless the reader has scrolled or opened one: then they are only counted. */
function Events({ type, walletId }: { type: string; walletId: string }) {
  const pages = usePages();
  const { after, isFirst } = pages;
  const filter = { ...(type !== '' && { type }), ...(walletId !== '' && { wallet_id: walletId }) };
  const request = { ...filter, order: 'desc', 'per-page': PER_PAGE, ...(after !== undefined && { after }) } as const;
  // No request per event: the stream brings the events themselves.
  const page = useResource(`events ${JSON.stringify(request)}`, (signal) =>
    readListPage((options) => api.events.list(request, options), signal),
  );
  const arrived = useArrivedEvents((event) => (type === '' || event.type === type) && (walletId === '' || walletOf(event) === walletId));
  const [openId, setOpenId] = useState<string>();
  const top = useRef<HTMLDivElement>(null);
  const isHeld = useIsAbove(top) || openId !== undefined;
  const stored = page.data?.items ?? [];
  const present = isFirst ? mergeEvents(arrived, stored, PER_PAGE) : stored;
  const list = useHeldEvents(present, isFirst && isHeld, stored);
  const newCount = isFirst ? countAfter(arrived, list.shown[0]) : 0;
  const isShort = list.shown.length === PER_PAGE && list.shown.at(-1)?.id !== stored.at(-1)?.id;
  const next = isShort ? list.shown.at(-1)?.id : page.data?.next;

  function showNew() {
    list.release();
    top.current?.scrollIntoView({ block: 'center' });
  }

  return (
    <>
      <div ref={top} class="new-rows" role="status">
        {newCount > 0 && (
          <Button size="small" icon="refresh" onClick={showNew}>
            {activity.newEvents(newCount, newCount === MAX_ARRIVED)}
          </Button>
        )}
      </div>
      <Loaded resource={page} skeleton={<SkeletonRows count={8} />}>
        {() =>
          list.shown.length > 0 ? (
            <EventTable events={list.shown} openId={openId} onOpen={setOpenId} />
          ) : (
            <Empty icon="activity" title={activity.noEventsTitle}>
              {next !== undefined ? activity.olderEvents : type === '' && walletId === '' ? activity.noEvents : activity.noSuchEvents}
            </Empty>
          )
        }
      </Loaded>
      <footer>
        <ListFooter
          pages={pages}
          page={page.data && { ...page.data, items: list.shown, next }}
          perPage={PER_PAGE}
          csv={csvUrl('events', { ...filter, order: 'desc' })}
        />
      </footer>
    </>
  );
}

/** Keeps the events in place while `isHeld`, until `release` is called or nothing holds them any longer. */
function useHeldEvents(present: readonly Event[], isHeld: boolean, stored: readonly Event[]) {
  const held = useRef<{ readonly shown: readonly Event[]; readonly stored: readonly Event[] }>();
  const [, rerender] = useState(0);
  // A page that was loaded again replaces what is shown.
  const isKept = isHeld && held.current !== undefined && held.current.stored === stored && held.current.shown.length > 0;
  if (!isKept) held.current = { shown: present, stored };
  return {
    shown: held.current?.shown ?? present,
    release() {
      held.current = { shown: present, stored };
      rerender((count) => count + 1);
    },
  };
}

function countAfter(arrived: readonly Event[], first: Event | undefined): number {
  return first === undefined ? 0 : arrived.filter(({ id }) => id > first.id).length;
}

/** Returns the id of the wallet that an event concerns. */
function walletOf({ data }: Event): string | undefined {
  return data.wtx?.wal.id ?? data.wal?.id ?? data.key?.wallet_id ?? undefined;
}
