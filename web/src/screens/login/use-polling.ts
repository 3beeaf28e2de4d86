import { useEffect, useRef, useState } from 'preact/hooks';
import { errorText } from '../../api/action.ts';
import { isTemporary } from '../../api/client.ts';

const INTERVAL_MS = 1_500;

/** Calls `probe` until it returns true, or throws an error that a later call would throw, too. Returns the text of the last error. */
export function usePolling(probe: () => Promise<boolean>, isActive: boolean): string | undefined {
  const [error, setError] = useState<string>();
  const latest = useRef(probe);
  latest.current = probe;
  useEffect(() => {
    if (!isActive) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isStopped = false;
    const next = () => {
      timer = setTimeout(async () => {
        try {
          const isDone = isStopped || (await latest.current());
          setError(undefined);
          if (!isDone && !isStopped) next();
        } catch (reason) {
          if (isStopped) return;
          setError(errorText(reason));
          // A phone closes connections while the wallet is in front of the browser.
          if (isTemporary(reason)) next();
        }
      }, INTERVAL_MS);
    };
    next();
    return () => {
      isStopped = true;
      clearTimeout(timer);
    };
  }, [isActive]);
  return error;
}
