import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Attempt, advance, canSend, newAttempt, nextAction, type Reply } from '../../web/src/attempt/attempt.ts';

/*
 * Tabs with the same attempt send requests to a model of the service over a bad network. The model keeps the promises of docs/api.md and
 * nothing more: a request with a known Idempotency-Key replays, a 4xx or 503 booked nothing, and a key is forgotten after a day.
 */

const START = 1_790_000_000_000;
const DAY_MS = 86_400_000;
/** The longest time from the arrival of a request to its execution. */
const SLOW_MS = 100_000;

/** What happens to a request. `slow`: the connection is lost and the service executes the request later. */
const FATES = [
  'arrives',
  'lost',
  'response lost',
  'slow',
  'crash before',
  'crash after',
  'proxy error',
  400,
  401,
  403,
  404,
  422,
  429,
  503,
] as const;
type Fate = (typeof FATES)[number];
const ENDS = ['settled', 'pending', 'failed'] as const;
type End = (typeof ENDS)[number];

class Service {
  now = START;
  payment: End | undefined;
  executions = 0;
  private keyUntil = 0;
  private slowUntil: number | undefined;
  private readonly ends: End;

  constructor(ends: End) {
    this.ends = ends;
  }

  pass(ms: number): void {
    const end = this.now + ms;
    if (this.slowUntil !== undefined && end >= this.slowUntil) {
      this.now = Math.max(this.now, this.slowUntil);
      this.execute();
    }
    this.now = end;
  }

  receive(fate: Fate): Reply {
    if (fate === 'lost' || fate === 'proxy error' || fate === 'crash before') return { kind: 'lost' };
    if (fate === 'slow') {
      this.slowUntil ??= this.now + SLOW_MS;
      return { kind: 'lost' };
    }
    if (typeof fate === 'number' && (fate !== 400 || !this.isKnown())) return refusal(fate);
    this.execute();
    return fate === 'arrives' || fate === 400 ? (this.look() ?? { kind: 'lost' }) : { kind: 'lost' };
  }

  look(): Reply | undefined {
    if (this.payment === 'settled') return { kind: 'settled', settled: { feeMsat: 0, lntxId: 'lntx_1' } };
    if (this.payment === 'failed') return { kind: 'failed', failed: { reason: 'NO_ROUTE' } };
    return this.payment && { kind: 'pending', lntxId: 'lntx_1' };
  }

  /** A request waits for one with the same key that is being executed, and replays it. */
  private isKnown(): boolean {
    if (this.slowUntil !== undefined) this.execute();
    return this.payment !== undefined && this.now < this.keyUntil;
  }

  private execute(): void {
    this.slowUntil = undefined;
    if (this.payment !== undefined && this.now < this.keyUntil) return;
    this.executions++;
    this.payment = this.ends;
    this.keyUntil = this.now + DAY_MS;
  }

  get mayPay(): boolean {
    return this.slowUntil !== undefined || this.payment === 'settled' || this.payment === 'pending';
  }
}

function refusal(status: number): Reply {
  return { kind: 'refused', refusal: { status, type: 'some_error', message: '', requestId: 'req' } };
}

type RequestStep = Extract<Step, { readonly fate: Fate }>;
type Step =
  /** `interrupted`: a click, and the page is loaded again before the response. `continue`: what the page does next by itself. */
  | { readonly does: 'click' | 'interrupted' | 'continue'; readonly tab: number; readonly fate: Fate }
  | { readonly does: 'reload' | 'duplicate'; readonly tab: number }
  | { readonly does: 'wait'; readonly ms: number }
  | { readonly does: 'end'; readonly end: 'settled' | 'failed' };

const tab = fc.nat({ max: 2 });
const fate = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom('arrives' as const, 'response lost' as const) },
  { weight: 2, arbitrary: fc.constantFrom(...FATES) },
);
const steps = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ does: fc.constantFrom('click' as const, 'continue' as const, 'interrupted' as const), tab, fate }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ does: fc.constant('wait' as const), ms: fc.constantFrom(5000, 60_000, 200_000, 700_000, 2 * DAY_MS) }),
    },
    { weight: 1, arbitrary: fc.record({ does: fc.constantFrom('reload' as const, 'duplicate' as const), tab }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant('end' as const), end: fc.constantFrom('settled' as const, 'failed' as const) }) },
  ),
  { maxLength: 30, size: 'max' },
);

/** Sends the request of a tab, or does what it does next by itself. */
function act(service: Service, attempt: Attempt, step: RequestStep): Attempt {
  const isClick = step.does !== 'continue';
  const action = isClick ? undefined : nextAction(attempt, service.now);
  if (isClick ? canSend(attempt, service.now) : action === 'repeat') {
    const asking = advance(attempt, { type: 'sent', at: service.now });
    const reply = service.receive(step.fate);
    return advance(asking, step.does === 'interrupted' ? { type: 'restored' } : { type: 'answered', reply });
  }
  if (action === undefined) return attempt;
  const isAnswered = step.fate === 'arrives';
  if (action === 'watch') return advance(attempt, { type: 'answered', reply: (isAnswered && service.look()) || { kind: 'lost' } });
  return isAnswered ? advance(attempt, { type: 'looked', reply: service.look(), at: service.now }) : attempt;
}

/** Whether the tab says that nothing was paid. After a 403, 404 or 422 it says so of its own request only. */
function deniesPayment({ progress }: Attempt): boolean {
  return progress.step === 'absent' || (progress.step === 'refused' && progress.refusal.status === 400);
}

function check(service: Service, attempt: Attempt): void {
  const { step } = attempt.progress;
  expect(service.executions).toBeLessThanOrEqual(1);
  if (step === 'settled') expect(service.payment).toBe('settled');
  if (step === 'failed') expect(service.payment).toBe('failed');
}

it('P9: pays at most once and never reports a payment as not made, with any loss of requests, tabs and time', () => {
  fc.assert(
    fc.property(steps, fc.constantFrom(...ENDS), (sequence: readonly Step[], ends) => {
      const service = new Service(ends);
      const tabs = [
        newAttempt({
          id: 'key',
          order: { operation: 'keysend', fields: {} },
          summary: { sats: 1, feeLimitMsat: 0, to: '', typed: '' },
          createdAt: START,
        }),
      ];
      for (const step of sequence) {
        if (step.does === 'wait') service.pass(step.ms);
        else if (step.does === 'end') service.payment = service.payment === 'pending' ? step.end : service.payment;
        else {
          const index = step.tab % tabs.length;
          const before = tabs[index] as Attempt;
          const attempt = 'fate' in step ? act(service, before, step) : advance(before, { type: 'restored' });
          if (step.does === 'duplicate' && tabs.length < 3) tabs.push(attempt);
          else tabs[index] = attempt;
          const isNew = attempt.progress.step !== before.progress.step;
          if (isNew && deniesPayment(attempt)) expect(service.mayPay).toBe(false);
        }
        for (const attempt of tabs) check(service, attempt);
      }
    }),
    { numRuns: Number(process.env.ATTEMPT_RUNS ?? 1500) },
  );
});

it('offers Send only while none of its requests can have paid', () => {
  fc.assert(
    fc.property(steps, fc.constantFrom(...ENDS), (sequence: readonly Step[], ends) => {
      const service = new Service(ends);
      let attempt = newAttempt({
        id: 'key',
        order: { operation: 'keysend', fields: {} },
        summary: { sats: 1, feeLimitMsat: 0, to: '', typed: '' },
        createdAt: START,
      });
      for (const step of sequence) {
        if (step.does === 'wait') service.pass(step.ms);
        else if (step.does === 'end') service.payment = service.payment === 'pending' ? step.end : service.payment;
        else attempt = 'fate' in step ? act(service, attempt, step) : advance(attempt, { type: 'restored' });
        const { step: shown } = attempt.progress;
        if (shown === 'review' || shown === 'refused' || shown === 'absent') expect(service.mayPay).toBe(false);
      }
    }),
    { numRuns: 1500 },
  );
});
