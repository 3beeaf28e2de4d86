import { expect, it } from 'vitest';
import { type FakeNodeApp, onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';

/** LNbits' reading of `settled`: paid, failed (it refunds its user), or unknown. Any other value breaks it. */
const STATUSES: Record<string, boolean | null> = { '0': null, '1': true, '-1': false };

interface Outcome {
  /** False: LNbits refunds its user. */
  readonly ok: boolean | null;
  readonly checkingId?: string;
  readonly preimage?: string | null;
}

/** A client that sends and reads what LNbits' funding source for this API does. */
function lnbits({ client }: FakeNodeApp, wallet: TestWallet) {
  const headers = { 'user-agent': 'LNbits/1.0.0', accept: '*/*' };
  const request = (method: string, path: string, json?: object) =>
    client.request(method, path, { key: client.secretKey, headers, ...(json && { json }) });
  return {
    async balanceMsat(): Promise<number> {
      const { body } = await request('GET', `/v1/wallet/${wallet.admin}`);
      expect(body.statusType.name).toBe('active');
      return body.balance * 1000;
    },
    async createInvoice(sat: number): Promise<Json> {
      const response = await request('POST', `/v1/wallet/${wallet.admin}/invoice`, { num_satoshis: String(sat), memo: '' });
      expect(response.status).toBe(201);
      return response.body;
    },
    async pay(bolt11: string): Promise<Outcome> {
      const response = await request('POST', `/v1/wallet/${wallet.admin}/withdraw`, { payment_request: bolt11 });
      if (response.status >= 400) {
        expect(response.body.message).toEqual(expect.any(String));
        return { ok: false };
      }
      const { id, payment_preimage } = response.body.lnTx;
      return { ok: true, checkingId: id, preimage: payment_preimage };
    },
    async status(checkingId: string): Promise<Outcome & { feeMsat: number | null }> {
      const { status, body } = await request('GET', `/v1/lntx/${checkingId}`);
      expect(status).toBe(200);
      expect(body).toMatchObject({ payment_preimage: expect.toSatisfy(isTextOrNull), fee_msat: expect.toSatisfy(isNumberOrNull) });
      const ok = STATUSES[String(body.settled)];
      if (ok === undefined || typeof body.settled !== 'number') throw new Error(`LNbits knows no settled ${body.settled}`);
      return { ok, preimage: body.payment_preimage, feeMsat: body.fee_msat };
    },
  };
}

const isTextOrNull = (value: unknown) => value === null || typeof value === 'string';
const isNumberOrNull = (value: unknown) => value === null || typeof value === 'number';

onFakeNode('LNbits with this service as its funding source', (service) => {
  const { net } = service;

  it('returns a paid invoice as paid, and an unpaid one as open', async () => {
    const wallet = await service.client.wallet(1000);
    const source = lnbits(service, wallet);
    const [paid, open] = [await source.createInvoice(21), await source.createInvoice(22)];
    expect(await source.status(paid.id)).toMatchObject({ ok: null, preimage: null });
    await net.outside.pay({ paymentRequest: paid.payment_request });
    await expect.poll(() => source.status(paid.id)).toMatchObject({ ok: true, preimage: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(await source.balanceMsat()).toBe(1_021_000);
    expect(await source.status(open.id)).toMatchObject({ ok: null });
  });

  it('returns an invoice as paid to a client that polls without a pause, and never as unpaid again', async () => {
    const wallet = await service.client.wallet(1000);
    const source = lnbits(service, wallet);
    const invoice = await source.createInvoice(5);
    const seen: (boolean | null)[] = [];
    const poll = async () => {
      while (seen.at(-1) !== true) seen.push((await source.status(invoice.id)).ok);
      for (let i = 0; i < 20; i++) seen.push((await source.status(invoice.id)).ok);
    };
    const polling = poll();
    await net.outside.pay({ paymentRequest: invoice.payment_request });
    await polling;
    expect(seen.slice(seen.indexOf(true))).not.toContain(null);
    expect(await source.balanceMsat()).toBe(1_005_000);
  });

  it('pays, and gets the preimage and the fee', async () => {
    const source = lnbits(service, await service.client.wallet(1000));
    const { paymentRequest } = net.outside.invoice({ amountMsat: 100_000, script: { fee: 1_000 } });
    const outcome = await source.pay(paymentRequest);
    expect(outcome).toMatchObject({ ok: true, preimage: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(await source.status(outcome.checkingId ?? '')).toEqual({ ok: true, preimage: outcome.preimage, feeMsat: 1_000 });
  });

  it('returns a definite failure at once, and keeps it', async () => {
    const wallet = await service.client.wallet(1000);
    const source = lnbits(service, wallet);
    const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 100_000, script: { fail: 'NO_ROUTE' } });
    expect(await source.pay(paymentRequest)).toEqual({ ok: false });
    expect(await source.status(paymentHash)).toMatchObject({ ok: false, preimage: null });
    expect(await source.balanceMsat()).toBe(1_000_000);
  });

  it('claims that nothing was sent only when that is true, because LNbits then refunds its user', async () => {
    const source = lnbits(service, await service.client.wallet(1000));
    const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 5_000_000 });
    expect(await source.pay(paymentRequest)).toEqual({ ok: false });
    expect(net.outside.payments().filter((payment) => payment.paymentHash === paymentHash)).toEqual([]);
    expect(await service.problems()).toEqual([]);
  });
});

onFakeNode(
  'LNbits with a service that does not wait for payments',
  (service) => {
    const { net } = service;

    it('returns a slow payment as pending until it ends, and its polling returns −1 or 1', async () => {
      for (const [action, ok] of [['settle', true] as const, ['cancel', false] as const]) {
        const wallet = await service.client.wallet(1000);
        const source = lnbits(service, wallet);
        const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 100_000, script: { hold: true } });
        const outcome = await source.pay(paymentRequest);
        expect(outcome).toMatchObject({ ok: true, preimage: null });
        const checkingId = outcome.checkingId ?? '';
        expect(await source.status(checkingId)).toMatchObject({ ok: null, preimage: null });
        // A repeated payment in between returns the same payment.
        expect(await source.pay(paymentRequest)).toMatchObject({ ok: true, checkingId });
        await service.client.decideHold(paymentHash, action);
        await expect.poll(async () => (await source.status(checkingId)).ok).toBe(ok);
        expect(await source.balanceMsat()).toBe(ok ? 900_000 : 1_000_000);
      }
    });
  },
  { PAYMENT_WAIT_SECONDS: '0' },
);
