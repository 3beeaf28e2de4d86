import { useEffect, useState } from 'preact/hooks';
import { money } from '../../texts/en-money.ts';

/** The service reports the expiry a moment after it. */
const CHECK_MS = 5000;

/** The time until `until`, in Unix seconds. Screen readers do not announce it. Calls `onEnd` after the end, until it is removed. */
export function Countdown({ until, onEnd }: { until: number; onEnd: () => void }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const left = Math.max(0, until - Math.floor(now / 1000));
  const hasEnded = left === 0;
  useEffect(() => {
    if (!hasEnded) return undefined;
    onEnd();
    const timer = setInterval(onEnd, CHECK_MS);
    return () => clearInterval(timer);
  }, [hasEnded]);
  return (
    <span role="timer" aria-live="off">
      {money.receive.expiresIn(durationText(left))}
    </span>
  );
}

/** Returns seconds as `23:58`, from an hour on as `2:05:00`, from two days on as days. */
export function durationText(seconds: number): string {
  if (seconds >= 172_800) return money.receive.days(Math.floor(seconds / 86_400));
  const twoDigits = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  return `${hours > 0 ? `${hours}:${twoDigits(minutes)}` : minutes}:${twoDigits(seconds % 60)}`;
}
