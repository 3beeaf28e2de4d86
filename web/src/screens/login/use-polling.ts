import { useEffect, useRef, useState } from 'preact/hooks';
import { errorText } from '../../api/action.ts';

const INTERVAL_MS = 1_500;

/** Calls `probe` until it returns true or throws. Returns the text of its error. */
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
          if (!(await latest.current()) && !isStopped) next();
        } catch (reason) {
          setError(errorText(reason));
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
