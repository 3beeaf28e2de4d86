import { useState } from 'preact/hooks';
import type { Event } from '../../api/client.ts';
import { SignedAmount } from '../../parts/amount.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Time } from '../../parts/time.tsx';
import { t } from '../../texts/texts.ts';

/** Events, newest first; one of them is open and shows its data. */
export function EventTable({ events }: { events: readonly Event[] }) {
  const [openId, setOpenId] = useState<string>();
  return (
    <table class="table">
      <thead>
        <tr>
          <th>{t.events.event}</th>
          <th class="desktop-only">{t.events.wallet}</th>
          <th class="end">{t.events.amount}</th>
          <th class="end desktop-only">{t.events.time}</th>
        </tr>
      </thead>
      <tbody>
        {events.map((event) => (
          <EventRows
            key={event.id}
            event={event}
            isOpen={event.id === openId}
            onToggle={() => setOpenId(event.id === openId ? undefined : event.id)}
          />
        ))}
      </tbody>
    </table>
  );
}

function EventRows({ event, isOpen, onToggle }: { event: Event; isOpen: boolean; onToggle: () => void }) {
  const wallet = event.data.wtx?.wal ?? event.data.wal;
  const text = JSON.stringify(event, undefined, 2);
  return (
    <>
      <tr class={isOpen ? 'clickable open' : 'clickable'}>
        <td>
          <button type="button" class="name" aria-expanded={isOpen} onClick={onToggle}>
            {event.event.display_name}
          </button>
          <span class="sub mono">
            {event.type}
            <span class="phone-only">
              {' · '}
              <Time at={event.created_at} />
            </span>
          </span>
        </td>
        <td class="desktop-only secondary">
          <bdi>{wallet?.user_label || wallet?.id}</bdi>
        </td>
        <td class="end">{event.data.wtx && <SignedAmount sats={event.data.wtx.num_satoshis} />}</td>
        <td class="end desktop-only secondary">
          <Time at={event.created_at} />
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={4}>
            <div class="event-data">
              <pre class="code">
                <bdi>{text}</bdi>
              </pre>
              <CopyButton text={text} label={t.events.copy} />
            </div>
          </td>
        </tr>
      )}
    </>
  );
}
