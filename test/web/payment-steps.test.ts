import { describe, expect, it } from 'vitest';
import { invoiceSteps, paymentSteps } from '../../web/src/screens/payment/payment-steps.ts';

const lntx = { status: 'pending', created_at: 100, settled_at: null, expires_at: 200, counterpart_id: null } as const;
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
});

describe('the timeline of an invoice', () => {
  it.each([
    ['pending', 'waiting'],
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
