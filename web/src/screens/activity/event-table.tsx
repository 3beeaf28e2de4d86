import { Link } from 'wouter-preact';
import type { Event } from '../../api/client.ts';
import { AmountName, Sats, SignedAmount } from '../../parts/amount.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Time } from '../../parts/time.tsx';
import { activity } from '../../texts/en-activity.ts';
import { t } from '../../texts/texts.ts';
import { amountOfEvent } from './event-amount.ts';

export interface EventTableProps {
  readonly events: readonly Event[];
  readonly openId: string | undefined;
  readonly onOpen: (id: string | undefined) => void;
}

/** Events, newest first; one of them is open and shows its data. */
export function EventTable({ events, openId, onOpen }: EventTableProps) {
  return (
    <table class="table">
      <thead>
        <tr>
          <th>{activity.event}</th>
          <th class="desktop-only">{activity.of}</th>
          <th class="end">
            <AmountName>{activity.amount}</AmountName>
          </th>
          <th class="end desktop-only">{activity.time}</th>
        </tr>
      </thead>
      <tbody>
        {events.map((event) => (
          <EventRows
            key={event.id}
            event={event}
            isOpen={event.id === openId}
            onToggle={() => onOpen(event.id === openId ? undefined : event.id)}
          />
        ))}
      </tbody>
    </table>
  );
}

function EventRows({ event, isOpen, onToggle }: { event: Event; isOpen: boolean; onToggle: () => void }) {
  const wallet = event.data.wtx?.wal ?? event.data.wal;
  const label = event.data.wtx?.user_label || event.data.lnTx?.memo || event.data.key?.user_label;
  return (
    <>
      <tr class={isOpen ? 'clickable open' : 'clickable'}>
        <td>
          <button type="button" class="name" aria-expanded={isOpen} onClick={onToggle}>
            {activity.names[event.type] ?? event.event.display_name}
          </button>
          <span class="sub">
            <span class="mono">{event.type}</span>
            {label && (
              <>
                {' · '}
                <bdi>{label}</bdi>
              </>
            )}
            <span class="phone-only">
              {' · '}
              <Time at={event.created_at} />
            </span>
          </span>
        </td>
        <td class="desktop-only">
          {wallet && (
            <Link class="secondary" href={`/wallets/${wallet.id}`}>
              <bdi>{wallet.user_label || wallet.id}</bdi>
            </Link>
          )}
        </td>
        <td class="end">
          <EventAmount event={event} />
        </td>
        <td class="end desktop-only secondary">
          <Time at={event.created_at} />
        </td>
      </tr>
      {isOpen && <EventData event={event} />}
    </>
  );
}

/** Money that did not move has no sign, and a word that says so. */
function EventAmount({ event }: { event: Event }) {
  const amount = amountOfEvent(event);
  if (!amount) return null;
  if (amount.kind === 'moved') return <SignedAmount sats={amount.sats} />;
  return (
    <>
      <span class={amount.kind === 'held' ? undefined : 'faint'}>
        <Sats sats={amount.kind === 'held' ? amount.sats : Math.abs(amount.sats)} sign={amount.kind === 'held'} />
      </span>
      <span class="sub">{activity.amounts[amount.kind]}</span>
    </>
  );
}

function EventData({ event }: { event: Event }) {
  const text = JSON.stringify(event, undefined, 2);
  return (
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
  );
}
