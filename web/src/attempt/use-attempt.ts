import { useEffect, useReducer, useRef } from 'preact/hooks';
import { useSession } from '../api/session.tsx';
import type { Attempt } from './attempt.ts';
import { continueAttempt, findAttempt, onAttempts } from './attempts.ts';

const SHORTEST_MS = 500;
const LONGEST_MS = 10_000;

/** Returns an attempt of this tab, and continues it while it is open. */
export function useAttempt(id: string | undefined): Attempt | undefined {
  const accountId = useSession().account.id;
  const [round, next] = useReducer((count: number) => count + 1, 0);
  const rounds = useRef(0);
  useEffect(() => onAttempts(() => next(undefined)), []);

  const attempt = id === undefined ? undefined : findAttempt(accountId, id);
  const step = attempt?.progress.step;
  useEffect(() => {
    if (id === undefined || (step !== 'unknown' && step !== 'pending')) {
      if (step !== 'asking') rounds.current = 0;
      return undefined;
    }
    const own = new AbortController();
    const proceed = () => {
      clearTimeout(timer);
      void continueAttempt(accountId, id, own.signal).then(() => own.signal.aborted || next(undefined));
    };
    const timer = setTimeout(proceed, Math.min(LONGEST_MS, SHORTEST_MS * 2 ** rounds.current++));
    addEventListener('online', proceed);
    return () => {
      own.abort();
      clearTimeout(timer);
      removeEventListener('online', proceed);
    };
  }, [accountId, id, step, round]);
  return attempt;
}
