import { useEffect, useState } from 'preact/hooks';
import type { SetRate } from '../parts/format-fiat.ts';
import { api, type FiatRate } from './client.ts';

const INTERVAL_MS = 60_000;

/** null: none is set. undefined: not read yet. */
let rate: SetRate | null | undefined;
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<(rate: SetRate | null | undefined) => void>();

/**
 * Returns the fiat rate; null if none is set, undefined until it is known. It is read once for all components, and again every minute while
 * one of them shows it and the tab is visible.
 */
export function useFiatRate(): SetRate | null | undefined {
  const [current, setCurrent] = useState(rate);
  useEffect(() => {
    listeners.add(setCurrent);
    setCurrent(rate);
    if (listeners.size === 1) start();
    return () => {
      listeners.delete(setCurrent);
      if (listeners.size === 0) stop();
    };
  }, []);
  return current;
}

/** Shows a rate that this tab has set or removed. */
export function showFiatRate({ currency, per_btc: perBtc, set_at: setAt }: FiatRate): void {
  rate = currency === null || perBtc === null || setAt === null ? null : { currency, perBtc, setAt };
  for (const listener of listeners) listener(rate);
}

async function read(): Promise<void> {
  if (document.hidden) return;
  try {
    showFiatRate(await api.getFiatRate());
  } catch {
    // The last rate stays, with its age. Requests of the screen itself show that the service does not answer.
  }
}

function start(): void {
  document.addEventListener('visibilitychange', read);
  timer = setInterval(read, INTERVAL_MS);
  void read();
}

function stop(): void {
  document.removeEventListener('visibilitychange', read);
  clearInterval(timer);
}
