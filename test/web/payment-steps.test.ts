import { describe, expect, it } from 'vitest';
import { addByTime, invoiceSteps, paymentSteps, type Step } from '../../web/src/screens/payment/payment-steps.ts';

const lntx = { status: 'pending', created_at: 100, settled_at: null, expires_at: 200, counterpart_id: null, held_msat: 1000 } as const;
const namesOf = (steps: readonly { readonly name: string }[]) => steps.map(({ name }) => name);

describe('the timeline of a payment', () => {
  it('never calls a payment failed whose outcome is not known', () => {
    const steps = paymentSteps(lntx);
    expect(namesOf(steps)).toEqual(['held', 'sent', 'pending']);
    expect(steps.some(({ tone }) => tone === 'failed')).toBe(false);
    // A status of a later version is not a failure either.
    expect(namesOf(paymentSteps({ ...lntx, status: 'unknown' }))).toEqual(['held', 'sent', 'pending']);
  });

  it('ends with the outcome', () => {
    expect(paymentSteps({ ...lntx, status: 'settled', settled_at: 101 }).at(-1)).toMatchObject({ name: 'settled', at: 101 });
    expect(paymentSteps({ ...lntx, status: 'failed' }).at(-1)).toMatchObject({ name: 'failed', tone: 'failed' });
  });

  it('says that a payment between two wallets of the service stayed inside', () => {
    expect(namesOf(paymentSteps({ ...lntx, status: 'settled', settled_at: 101, counterpart_id: 'lntx_2' }))).toEqual([
      'held',
      'inside',
      'settled',
    ]);
  });

  it('has no hold for a payment that was made at once, which is one inside the service', () => {
    const steps = paymentSteps({ ...lntx, status: 'settled', settled_at: 101, held_msat: null });
    expect(steps).toMatchObject([
      { name: 'inside', at: 100 },
      { name: 'settled', at: 101 },
    ]);
  });
});

describe('the timeline of a hold invoice', () => {
  it('shows the payment that waits, and keeps it after the outcome', () => {
    const held = { ...lntx, held_at: 150 };
    expect(invoiceSteps({ ...held, status: 'held' }, false).at(-1)).toMatchObject({ name: 'onHold', at: 150, tone: 'waiting' });
    expect(namesOf(invoiceSteps({ ...held, status: 'settled', settled_at: 160 }, false))).toEqual(['created', 'onHold', 'received']);
    expect(namesOf(invoiceSteps({ ...held, status: 'cancelled' }, false))).toEqual(['created', 'onHold', 'cancelled']);
  });
});

describe('further entries of the timeline', () => {
  const entry = (at: number): Step => ({ name: 'sent', at, tone: 'plain', icon: 'out' });

  it('have their place by time, after the steps of the same second', () => {
    const steps = paymentSteps({ ...lntx, status: 'settled', settled_at: 110 });
    const [early, late] = [entry(105), entry(110)];
    expect(addByTime(steps, [early, late])).toEqual([...steps.slice(0, 2), early, steps[2], late]);
  });

  it('do not change the order of steps, although the clock of the node may be behind', () => {
    const steps = invoiceSteps({ ...lntx, status: 'settled', settled_at: 98 }, false);
    expect(addByTime(steps, [entry(99), entry(101)])).toEqual([entry(99), ...steps, entry(101)]);
  });

  it('come before a step that has not happened yet, and after a failure without a time', () => {
    const pending = paymentSteps(lntx);
    expect(addByTime(pending, [entry(105)])).toEqual([...pending.slice(0, 2), entry(105), pending[2]]);
    const failed = paymentSteps({ ...lntx, status: 'failed' });
    expect(addByTime(failed, [entry(105)])).toEqual([...failed, entry(105)]);
  });
});

describe('the timeline of an invoice', () => {
  it.each([
    ['open', 'waiting'],
    ['settled', 'received'],
    ['expired', 'expired'],
    ['cancelled', 'cancelled'],
  ])('of the status %s ends with "%s"', (status, name) => {
    expect(namesOf(invoiceSteps({ ...lntx, status }, false))).toEqual(['created', name]);
  });

  it('has no invoice for a keysend', () => {
    expect(namesOf(invoiceSteps({ ...lntx, status: 'settled', settled_at: 101 }, true))).toEqual(['received']);
  });
});
