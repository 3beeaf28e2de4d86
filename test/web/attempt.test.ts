import { describe, expect, it } from 'vitest';
import { SatchelError } from '../../client/satchel.js';
import {
  type Attempt,
  type AttemptEvent,
  advance,
  canSend,
  hasEnded,
  isOpen,
  newAttempt,
  nextAction,
  QUIET_MS,
  REPEAT_MS,
  REVIEW_MS,
  type Reply,
} from '../../web/src/attempt/attempt.ts';
import { replyOfError, replyOfPayment, replyOfTransaction, replyToRequest } from '../../web/src/attempt/reply.ts';

const START = 1_790_000_000_000;
const ORDER = { operation: 'keysend', fields: { key: 'wal_1', num_satoshis: 5 } } as const;
const LOST: AttemptEvent = { type: 'answered', reply: { kind: 'lost' } };

function review(): Attempt {
  return newAttempt({ id: 'key', order: ORDER, summary: { sats: 5, feeLimitMsat: 10_000, to: 'a node', typed: '' }, createdAt: START });
}

function advanced(...events: AttemptEvent[]): Attempt {
  return events.reduce(advance, review());
}

const sentAt = (at = START): AttemptEvent => ({ type: 'sent', at });

function refusedWith(status: number, type = 'some_error'): AttemptEvent {
  return { type: 'answered', reply: { kind: 'refused', refusal: { status, type, message: 'Why.', requestId: 'req' } } };
}

describe('an attempt', () => {
  it('asks once for several clicks', () => {
    const attempt = advanced(sentAt(), sentAt(START + 1));
    expect(attempt).toMatchObject({ progress: { step: 'asking' }, firstSentAt: START, lastSentAt: START });
  });

  it('is in doubt after a lost response, and repeats the request', () => {
    const attempt = advanced(sentAt(), LOST);
    expect(attempt).toMatchObject({ progress: { step: 'unknown' }, isInDoubt: true });
    expect(nextAction(attempt, START + 1000)).toBe('repeat');
  });

  it('is in doubt after a reload during its request', () => {
    expect(advanced(sentAt(), { type: 'restored' })).toMatchObject({ progress: { step: 'unknown' }, isInDoubt: true });
  });

  it.each([401, 429, 503])('can be sent again after a first response %i', (status) => {
    const attempt = advanced(sentAt(), refusedWith(status));
    expect(attempt.progress).toMatchObject({ step: 'review', refusal: { status } });
    expect(isOpen(attempt)).toBe(false);
  });

  it.each([400, 403, 404, 422])('has ended without a payment after a first response %i', (status) => {
    expect(advanced(sentAt(), refusedWith(status)).progress.step).toBe('refused');
  });

  it.each([401, 403, 404, 422, 429, 503])('stays in doubt when its repetition gets a %i', (status) => {
    expect(advanced(sentAt(), LOST, sentAt(), refusedWith(status))).toMatchObject({ progress: { step: 'unknown' }, isInDoubt: true });
  });

  it('has ended without a payment when its repetition gets a 400', () => {
    expect(advanced(sentAt(), LOST, sentAt(), refusedWith(400)).progress.step).toBe('refused');
  });

  it('stays pending when a request about it is lost or refused', () => {
    const pending: AttemptEvent = { type: 'answered', reply: { kind: 'pending', lntxId: 'lntx_1' } };
    const attempt = advanced(sentAt(), pending, LOST, refusedWith(400), { type: 'looked', reply: undefined, at: START + 10 * REPEAT_MS });
    expect(attempt.progress).toEqual({ step: 'pending', lntxId: 'lntx_1' });
    expect(nextAction(attempt, START)).toBe('watch');
  });

  it('does not change after its end', () => {
    const settled: AttemptEvent = { type: 'answered', reply: { kind: 'settled', settled: { feeMsat: 1 } } };
    const attempt = advanced(sentAt(), settled);
    expect(hasEnded(attempt)).toBe(true);
    for (const event of [sentAt(), LOST, refusedWith(400), { type: 'restored' } as const]) expect(advance(attempt, event)).toBe(attempt);
  });

  it('is no longer sent from a review of ten minutes ago, because a copy of its tab may have sent it', () => {
    expect(canSend(review(), START + REVIEW_MS - 1)).toBe(true);
    expect(canSend(review(), START + REVIEW_MS)).toBe(false);
    expect(advanced(sentAt(START + REVIEW_MS)).progress.step).toBe('review');
  });

  it('is no longer repeated long before the service forgets its Idempotency-Key, or after the clock was set back', () => {
    const attempt = advanced(sentAt(), LOST);
    expect(REPEAT_MS).toBeLessThan(86_400_000 / 10);
    expect(nextAction(attempt, START + REPEAT_MS)).toBe('look');
    expect(nextAction(attempt, START - 1)).toBe('look');
  });

  it('is absent only when the history does not have it long after the last request', () => {
    const attempt = advanced(sentAt(), LOST);
    const look = (at: number) => advance(attempt, { type: 'looked', reply: undefined, at }).progress.step;
    // A copy of the tab may send it at the end of the review, and repeat it.
    const last = START + REVIEW_MS + REPEAT_MS;
    expect(look(last + QUIET_MS - 1)).toBe('unknown');
    expect(look(last + QUIET_MS)).toBe('absent');
  });
});

describe('a response', () => {
  const error = (status: number, type: string, message = '') =>
    Reflect.construct(SatchelError, [status, { type, message, request_id: 'req', wtx_id: 'wtx_1' }]);

  it.each<[string, Reply['kind'], number, unknown]>([
    ['paid', 'settled', 201, { id: 'wtx_1', status: 'settled', lnTx: { id: 'lntx_1', fee_msat: 12 } }],
    ['in flight', 'pending', 202, { id: 'wtx_1', status: 'pending', lnTx: { id: 'lntx_1' } }],
    ['transferred', 'settled', 201, { wtx_transfer_out: { id: 'wtx_1' } }],
    ['an object without a payment', 'lost', 201, { ok: true }],
    ['an error of a proxy', 'lost', 502, { message: 'Bad Gateway' }],
    ['nothing', 'lost', 201, undefined],
  ])('with %s is %s', (_, kind, status, body) => {
    expect(replyToRequest(status, body).kind).toBe(kind);
  });

  it.each<[string, Reply['kind'], unknown]>([
    ['payment_failed', 'failed', error(400, 'payment_failed', 'Failure reason: FAILURE_REASON_NO_ROUTE. No route.')],
    ['a 400', 'refused', error(400, 'insufficient_balance')],
    ['a 503', 'refused', error(503, 'node_unavailable')],
    ['a 500', 'lost', error(500, 'internal_error')],
    ['a lost connection', 'lost', new TypeError('Failed to fetch')],
    ['an error without a request id', 'lost', Reflect.construct(SatchelError, [400, { type: 'about:blank', message: '' }])],
  ])('of %s is %s', (_, kind, reason) => {
    expect(replyOfError(reason).kind).toBe(kind);
  });

  it('names the reason of a failure', () => {
    const reply = replyOfError(error(400, 'payment_failed', 'Failure reason: FAILURE_REASON_NO_ROUTE. No route.'));
    expect(reply).toEqual({ kind: 'failed', failed: { reason: 'NO_ROUTE', wtxId: 'wtx_1' } });
    expect(replyOfPayment({ id: 'lntx_1', status: 'failed', failure_reason: 'TIMEOUT' })).toMatchObject({ failed: { reason: 'TIMEOUT' } });
    expect(replyOfTransaction({ id: 'wtx_1', status: 'failed', failure_reason: 'CANCELED', lnTx: { id: 'lntx_1' } })).toEqual({
      kind: 'failed',
      failed: { reason: 'CANCELED', wtxId: 'wtx_1', lntxId: 'lntx_1' },
    });
  });
});
