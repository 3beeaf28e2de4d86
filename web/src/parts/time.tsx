import { formatExactTime, formatRelativeTime, formatTime } from './format-time.ts';

export interface TimeProps {
  /** Unix seconds, as the API has them. */
  readonly at: number;
  /** `2 min ago` under an hour, and `in 9 days`. */
  readonly isRelative?: boolean;
  /** With seconds and zone. */
  readonly withSeconds?: boolean;
}

/** A time in the zone of the browser; the tooltip has seconds and zone. */
export function Time({ at, isRelative = false, withSeconds = false }: TimeProps) {
  const ms = at * 1000;
  return (
    <time dateTime={new Date(ms).toISOString()} title={formatExactTime(ms)} class="number">
      {textOf(ms, isRelative, withSeconds)}
    </time>
  );
}

function textOf(ms: number, isRelative: boolean, withSeconds: boolean): string {
  if (withSeconds) return formatExactTime(ms);
  return isRelative ? formatRelativeTime(ms, Date.now()) : formatTime(ms, Date.now());
}
