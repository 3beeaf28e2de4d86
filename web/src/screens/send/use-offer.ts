import { useEffect, useRef, useState } from 'preact/hooks';
import { isLoggedOut } from '../../api/client.ts';
import { endSession } from '../../api/session.tsx';
import { recognize } from './destination.ts';
import { type Offer, readOffer } from './offer.ts';

/** Each text that looks like an address is a request to another service. */
const TYPING_MS = 600;
const RETRY_MS = 3000;

/** Reads the offer of a destination while it is typed. After a failure it tries again. */
export function useOffer(typed: string, walletId: string): { offer: Offer | undefined; isReading: boolean; hasFailed: boolean } {
  const [read, setRead] = useState<{ typed: string; offer?: Offer | undefined; hasFailed: boolean }>();
  const [retry, setRetry] = useState(0);
  const last = useRef(typed);
  useEffect(() => {
    const own = new AbortController();
    const isTyped = Math.abs(typed.length - last.current.length) === 1;
    last.current = typed;
    let again: ReturnType<typeof setTimeout> | undefined;
    const timer = setTimeout(
      () =>
        readOffer(recognize(typed), walletId, own.signal).then(
          (offer) => own.signal.aborted || setRead({ typed, offer, hasFailed: false }),
          (error) => {
            if (own.signal.aborted) return;
            if (isLoggedOut(error)) endSession();
            setRead({ typed, hasFailed: true });
            again = setTimeout(() => setRetry((count) => count + 1), RETRY_MS);
          },
        ),
      isTyped ? TYPING_MS : 0,
    );
    return () => {
      own.abort();
      clearTimeout(timer);
      clearTimeout(again);
    };
  }, [typed, walletId, retry]);
  const isCurrent = read?.typed === typed;
  return {
    offer: isCurrent ? read.offer : undefined,
    isReading: !isCurrent && typed.trim() !== '',
    hasFailed: isCurrent && read.hasFailed,
  };
}
