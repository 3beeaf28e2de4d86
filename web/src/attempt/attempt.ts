/*
 * A payment from its review to its end, as a state machine without time and requests of its own.
 *
 * The id of an attempt is the Idempotency-Key of its request. After a request whose outcome is unknown, the attempt is in doubt: the same
 * request is repeated with the same key, or the history is read, until the service reports what happened. Only an attempt of which no
 * request was executed can be sent again.
 */

/** The operations of the API that move money out of a wallet. */
export type Operation = 'withdraw' | 'payLnurl' | 'keysend' | 'transfer';

/** The request: an operation and its fields. `key` is the id of the wallet. */
export interface Order {
  readonly operation: Operation;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What a sheet shows of an attempt, also after a reload. */
export interface Summary {
  /** Of an amount in a currency, what it was worth when it was entered. */
  readonly sats: number;
  /** The amount in a currency, which the service converts when it receives the request. */
  readonly price?: { readonly amount: string; readonly currency: string } | undefined;
  /** Held in addition to the amount. */
  readonly feeLimitMsat: number;
  /** The fee of this service, which is held, too. Absent: none is known. */
  readonly serviceFeeMsat?: number | undefined;
  /** Who is paid, or for what: a text of others. */
  readonly to: string;
  /** Whether `to` says for what. */
  readonly isPurpose?: boolean | undefined;
  /** The public key of the node that is paid. Absent: it is not known before the payment. */
  readonly payee?: string | undefined;
  /** What the person entered as the destination. */
  readonly typed: string;
  /** Of the invoice that is paid. */
  readonly paymentHash?: string | undefined;
}

/** Why nothing was sent. */
export interface Refusal {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly requestId: string;
}

export interface Settled {
  readonly lntxId?: string | undefined;
  /** The routing fee. */
  readonly feeMsat: number | null;
  /** The fee of this service. */
  readonly serviceFeeMsat?: number | undefined;
  readonly successAction?: SuccessAction | undefined;
}

/** What the payee shows after a payment (LUD-09). */
export interface SuccessAction {
  readonly tag: string;
  readonly message?: string;
  readonly description?: string;
  readonly url?: string;
  readonly plaintext?: string | null;
}

export interface Failed {
  /** Such as `NO_ROUTE`. */
  readonly reason: string;
  readonly wtxId?: string | undefined;
  readonly lntxId?: string | undefined;
}

/** What a response, or its absence, says about the payment. */
export type Reply =
  | { readonly kind: 'settled'; readonly settled: Settled }
  | { readonly kind: 'pending'; readonly lntxId: string | undefined }
  | { readonly kind: 'failed'; readonly failed: Failed }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** No response, or one that says nothing about the payment. */
  | { readonly kind: 'lost' };

export type Progress =
  /** No request was executed. `refusal`: why the last one was not. */
  | { readonly step: 'review'; readonly refusal?: Refusal }
  /** A request is being answered. */
  | { readonly step: 'asking' }
  /** The outcome of a request is unknown, and no request is being answered. */
  | { readonly step: 'unknown' }
  | { readonly step: 'pending'; readonly lntxId: string | undefined }
  | { readonly step: 'settled'; readonly settled: Settled }
  | { readonly step: 'failed'; readonly failed: Failed }
  /** The service rejects the request; nothing was or will be paid. */
  | { readonly step: 'refused'; readonly refusal: Refusal }
  /** The service has no such payment, long after the last request. */
  | { readonly step: 'absent' };

export interface Attempt {
  readonly id: string;
  readonly order: Order;
  readonly summary: Summary;
  readonly progress: Progress;
  /** Whether a request was sent whose outcome is unknown. */
  readonly isInDoubt: boolean;
  /** When the payment was reviewed first, and when the first and the last request were sent, in milliseconds since 1970. */
  readonly createdAt: number;
  readonly firstSentAt?: number;
  readonly lastSentAt?: number;
}

export type AttemptEvent =
  /** The request is sent, by the person or again. */
  | { readonly type: 'sent'; readonly at: number }
  /** The response to a request. */
  | { readonly type: 'answered'; readonly reply: Reply }
  /** What the history of the wallet has; undefined: no such payment. */
  | { readonly type: 'looked'; readonly reply: Reply | undefined; readonly at: number }
  /** The page was loaded again: a request that was being answered has no receiver any more. */
  | { readonly type: 'restored' };

/*
 * The service keeps an Idempotency-Key for a day at least. Long before, a review in a forgotten tab is no longer sent: another tab may have
 * sent it. And a request is no longer repeated: a payment so late would surprise.
 */
export const REVIEW_MS = 10 * 60_000;
export const REPEAT_MS = 10 * 60_000;
/** No request of the service takes longer, so a payment that the history does not have by then does not begin any more. */
export const QUIET_MS = 3 * 60_000;

export function newAttempt(attempt: Pick<Attempt, 'id' | 'order' | 'summary' | 'createdAt'>): Attempt {
  const { id, order, summary, createdAt } = attempt;
  return { id, order, summary, createdAt, progress: { step: 'review' }, isInDoubt: false };
}

/** Returns what is held until a payment ends: amount, fee limit and fee of the service. */
export function heldMsat({ sats, feeLimitMsat, serviceFeeMsat = 0 }: Summary): number {
  return sats * 1000 + feeLimitMsat + serviceFeeMsat;
}

/** Returns whether the person may send the payment. If not, it has been sent, or it must be reviewed again. */
export function canSend({ progress, createdAt }: Attempt, now: number): boolean {
  return progress.step === 'review' && isYounger(createdAt, now, REVIEW_MS);
}

/** Returns whether the outcome is final. */
export function hasEnded({ progress: { step } }: Attempt): boolean {
  return step === 'settled' || step === 'failed' || step === 'refused' || step === 'absent';
}

/** Returns whether money may be on its way: a request was sent, and no final outcome is known. */
export function isOpen(attempt: Attempt): boolean {
  return attempt.progress.step !== 'review' && !hasEnded(attempt);
}

/** What the page has to do next: repeat the request, read the history, or wait for the end of the payment. */
export type NextAction = 'repeat' | 'look' | 'watch' | undefined;

export function nextAction({ progress, firstSentAt = 0 }: Attempt, now: number): NextAction {
  if (progress.step === 'pending') return progress.lntxId === undefined ? 'look' : 'watch';
  if (progress.step !== 'unknown') return undefined;
  return isYounger(firstSentAt, now, REPEAT_MS) ? 'repeat' : 'look';
}

/** After the clock was set back, the age is not known. */
function isYounger(since: number, now: number, ms: number): boolean {
  return now >= since && now - since < ms;
}

export function advance(attempt: Attempt, event: AttemptEvent): Attempt {
  const { step } = attempt.progress;
  if (hasEnded(attempt)) return attempt;
  switch (event.type) {
    case 'sent':
      return canSend(attempt, event.at) || nextAction(attempt, event.at) === 'repeat' ? sent(attempt, event.at) : attempt;
    case 'restored':
      return step === 'asking' ? inDoubt(attempt) : attempt;
    case 'answered':
      return conclude(attempt, event.reply) ?? unanswered(attempt, event.reply);
    case 'looked':
      if (event.reply) return conclude(attempt, event.reply) ?? attempt;
      return step === 'unknown' && isQuiet(attempt, event.at) ? { ...attempt, progress: { step: 'absent' } } : attempt;
  }
}

function sent(attempt: Attempt, at: number): Attempt {
  return { ...attempt, progress: { step: 'asking' }, firstSentAt: attempt.firstSentAt ?? at, lastSentAt: at };
}

/** Applies what is known about the payment itself; undefined if the reply says nothing about it. */
function conclude(attempt: Attempt, reply: Reply): Attempt | undefined {
  if (reply.kind === 'settled') return { ...attempt, progress: { step: 'settled', settled: reply.settled } };
  if (reply.kind === 'failed') return { ...attempt, progress: { step: 'failed', failed: reply.failed } };
  if (reply.kind === 'pending') return { ...attempt, isInDoubt: true, progress: { step: 'pending', lntxId: reply.lntxId } };
  return undefined;
}

/** The request had no response, or it was refused. A payment that is known to be pending stays so. */
function unanswered(attempt: Attempt, reply: Reply): Attempt {
  if (attempt.progress.step !== 'asking') return attempt;
  if (reply.kind !== 'refused') return inDoubt(attempt);
  const { refusal } = reply;
  // Another request had the key of this attempt, and it may have been executed.
  if (refusal.type === 'idempotency_mismatch') return inDoubt(attempt);
  if (attempt.isInDoubt)
    return concludesRepetition(refusal) ? { ...attempt, isInDoubt: false, progress: { step: 'refused', refusal } } : inDoubt(attempt);
  if (maySucceedLater(refusal)) return reviewedAgain(attempt, refusal);
  return { ...attempt, progress: { step: 'refused', refusal } };
}

function inDoubt(attempt: Attempt): Attempt {
  return { ...attempt, isInDoubt: true, progress: { step: 'unknown' } };
}

/** No request was executed, so the person may send the same one again. */
function reviewedAgain(attempt: Attempt, refusal: Refusal): Attempt {
  return { ...newAttempt(attempt), progress: { step: 'review', refusal } };
}

/** The refused request was not executed, and may succeed later: no session, too many requests, the node or the database is away. */
function maySucceedLater({ status }: Refusal): boolean {
  return status === 401 || status === 429 || status === 503;
}

/**
 * Returns whether the refusal of a repetition also settles the requests before it. The request is always the same one, so a 400 says that it
 * was never executed. 401, 403, 404, 422, 429 and 503 concern only the repetition.
 */
function concludesRepetition({ status }: Refusal): boolean {
  return status === 400 || status === 409;
}

/** A copy of the tab may have sent the attempt later, and repeated it. */
function isQuiet({ createdAt, lastSentAt = 0 }: Attempt, now: number): boolean {
  return now - Math.max(lastSentAt, createdAt + REVIEW_MS + REPEAT_MS) >= QUIET_MS;
}
