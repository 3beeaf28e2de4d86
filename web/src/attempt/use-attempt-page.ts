import { useEffect, useState } from 'preact/hooks';
import { useLocation, useSearch } from 'wouter-preact';
import { newIdempotencyKey } from '../api/idempotent.ts';
import { useSession } from '../api/session.tsx';
import { type Attempt, newAttempt, type Order, type Summary } from './attempt.ts';
import { findAttempt, openAttempts, recoverAttempt, saveAttempt, sendAttempt } from './attempts.ts';
import { useAttempt } from './use-attempt.ts';

export interface AttemptPage {
  /** The attempt in the address; undefined: the form is shown. */
  readonly attempt: Attempt | undefined;
  /** The address has an attempt that this tab does not know, and the history is read. */
  readonly isLoading: boolean;
  /** Payments of the wallet that this tab has sent and whose outcome is not known yet. */
  readonly open: readonly Attempt[];
  /** Shows the review of an order, or the open payment of the same order. */
  review(order: Order, summary: Summary): void;
  send(): void;
  /** Shows the form again. */
  leave(): void;
}

/**
 * The attempt of the present address, `/wallets/:id/<sheet>?attempt=`. The form and the review are one entry of the browser's history, so
 * Back closes the sheet and does not offer a sent payment again.
 */
export function useAttemptPage(walletId: string, sheet: 'send' | 'transfer'): AttemptPage {
  const [, navigate] = useLocation();
  const accountId = useSession().account.id;
  const id = new URLSearchParams(useSearch()).get('attempt') ?? undefined;
  const known = useAttempt(id);
  const isLoading = useRecovery(accountId, id, walletId, known !== undefined);
  // Of this wallet, also if the address was put together by others.
  const attempt = known?.order.fields.key === walletId ? known : undefined;
  const path = `/wallets/${walletId}/${sheet}`;
  const open = openAttempts(accountId, walletId);

  function review(order: Order, summary: Summary) {
    const same = open.find((other) => isSamePayment(other.order, order));
    // An address of another tab keeps its attempt: should it have been sent there, the service does not pay it again.
    const attemptId = same?.id ?? (id !== undefined && !known && ATTEMPT_ID.test(id) ? id : newIdempotencyKey());
    if (!same) saveAttempt(accountId, newAttempt({ id: attemptId, order, summary, createdAt: Date.now() }));
    navigate(`${path}?attempt=${attemptId}`, { replace: true });
  }

  return {
    attempt,
    isLoading,
    open,
    review,
    send: () => id !== undefined && void sendAttempt(accountId, id),
    leave: () => navigate(path, { replace: true }),
  };
}

const RETRY_MS = 2_000;
const ATTEMPT_ID = /^[0-9a-f-]{32,36}$/;

/** Returns whether two orders would pay the same. Their fee limits and comments may differ. */
function isSamePayment(one: Order, other: Order): boolean {
  return one.operation === other.operation && identityOf(one) === identityOf(other);
}

function identityOf({ fields }: Order): string {
  const { payment_request, dest_pubkey, ln_address, lnurlpay_encoded, dest_wallet_id, num_satoshis, amt_msat } = fields;
  return JSON.stringify([payment_request, dest_pubkey, ln_address, lnurlpay_encoded, dest_wallet_id, num_satoshis, amt_msat]);
}

/** Looks for an attempt that this tab does not know. Returns whether it is still looking. */
function useRecovery(accountId: string, id: string | undefined, walletId: string, isKnown: boolean): boolean {
  const [looked, setLooked] = useState<string>();
  const isUnknown = id !== undefined && !isKnown && looked !== id;
  useEffect(() => {
    if (!isUnknown || findAttempt(accountId, id)) return undefined;
    const own = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      recoverAttempt(accountId, id, walletId, own.signal).then(
        () => own.signal.aborted || setLooked(id),
        // Without the history, it is not known whether the payment was sent.
        () => {
          if (!own.signal.aborted) timer = setTimeout(look, RETRY_MS);
        },
      );
    };
    look();
    return () => {
      own.abort();
      clearTimeout(timer);
    };
  }, [accountId, id, walletId, isUnknown]);
  return isUnknown;
}
