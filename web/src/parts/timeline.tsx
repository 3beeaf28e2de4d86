import type { ComponentChildren } from 'preact';
import { formatClock, formatExactTime } from './format-time.ts';
import { Icon, type IconName } from './icon.tsx';
import './timeline.css';

export interface TimelineItem {
  /** Unix seconds, with decimals when the milliseconds are known. An item that has not happened yet has none. */
  readonly at?: number | undefined;
  readonly tone: 'done' | 'waiting' | 'failed' | 'plain';
  readonly icon: IconName;
  readonly text: ComponentChildren;
  /** One sentence, with the amounts that moved. */
  readonly detail?: ComponentChildren;
}

/** What happened to an object, oldest first. The day is written where it is not that of the item before. */
export function Timeline({ items }: { items: readonly TimelineItem[] }) {
  return (
    <ol class="timeline">
      {items.map(({ at, tone, icon, text, detail }, index) => (
        <li key={index}>
          <span class={`mark ${tone}`}>
            <Icon name={icon} size={15} />
          </span>
          <div class="timeline-head">
            <h3>{text}</h3>
            {at !== undefined && <Clock at={at} before={items[index - 1]?.at ?? Date.now() / 1000} />}
          </div>
          {detail !== undefined && <div class="small secondary">{detail}</div>}
        </li>
      ))}
    </ol>
  );
}

function Clock({ at, before }: { at: number; before: number }) {
  const ms = Math.round(at * 1000);
  return (
    <time class="small faint number" dateTime={new Date(ms).toISOString()} title={formatExactTime(ms, !Number.isInteger(at))}>
      {formatClock(ms, before * 1000, !Number.isInteger(at))}
    </time>
  );
}
