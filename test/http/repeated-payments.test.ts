import { randomBytes } from 'node:crypto';
import { afterEach, expect, it, vi } from 'vitest';
import { encodeBolt11, ordinaryFields } from '../../devnet/fake/bolt11-encoder.ts';
import { type FakeNodeApp, onFakeNode } from '../support/app.ts';
import type { Client, HttpResponse, Json, TestWallet } from '../support/client.ts';
import { reloadModulesAfterFile } from '../support/reload-modules.ts';

reloadModulesAfterFile();

interface Forgery {
  readonly amountMsat?: number;
  readonly network?: 'regtest' | 'bitcoin';
  readonly ageSeconds?: number;
}

/** Another well-formed invoice for a known payment hash, signed with its own key. Any payer can make one. */
function forge(paymentHash: string, { amountMsat, network = 'regtest', ageSeconds = 0 }: Forgery = {}): string {
  const paymentSecret = randomBytes(32).toString('hex');
  return encodeBolt11({
    network,
    ...(amountMsat !== undefined && { amountMsat }),
    timestamp: Math.floor(Date.now() / 1000) - ageSeconds,
    fields: ordinaryFields({ paymentHash, paymentSecret, description: 'forged' }),
    privateKey: randomBytes(32).toString('hex'),
  });
}

function withdraw(client: Client, wallet: TestWallet, json: object, headers: Record<string, string> = {}): Promise<HttpResponse> {
  return client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, { key: client.secretKey, json, headers });
}

const NO_WAIT = { prefer: 'respond-async' };

async function untilHeld({ net }: FakeNodeApp, paymentHash: string): Promise<void> {
  await expect.poll(() => net.outside.payments().find((paid) => paid.paymentHash === paymentHash)?.state).toBe('pending');
}

async function balances({ client }: FakeNodeApp, wallet: TestWallet): Promise<Json> {
  const { balance_msat, pending_msat } = await client.get(`/v1/wallet/${wallet.id}`);
  return { balance_msat, pending_msat };
}

onFakeNode('a repeated payment of an invoice', (service) => {
  const { net } = service;
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('P3: returns the first payment for the same text and amount, in upper case and with a lightning: prefix too', async () => {
    const wallet = await service.client.wallet(1000);
    const { paymentRequest } = net.outside.invoice({ amountMsat: 100_000 });
    const first = await withdraw(service.client, wallet, { payment_request: paymentRequest });
    expect(first.status).toBe(201);
    const repeats = [
      { payment_request: paymentRequest },
      { payment_request: paymentRequest, num_satoshis: 100 },
      { payment_request: paymentRequest.toUpperCase() },
      { payment_request: `lightning:${paymentRequest}` },
      { payment_request: `LIGHTNING:${paymentRequest.toUpperCase()}`, num_satoshis: 100 },
    ];
    for (const json of repeats) {
      const again = await withdraw(service.client, wallet, json);
      expect(again).toMatchObject({ status: 201, body: { id: first.body.id } });
      expect(again.headers.get('idempotency-replayed')).toBe('true');
    }
    expect(await balances(service, wallet)).toEqual({ balance_msat: 900_000, pending_msat: 0 });
  });

  for (const state of ['pending', 'settled'] as const) {
    it(`P3: rejects another amount or another text for the hash of a ${state} payment, and names that payment`, async () => {
      const wallet = await service.client.wallet(1000);
      const hold = state === 'pending';
      const { paymentRequest, paymentHash } = net.outside.invoice({ script: { hold } });
      const request = { payment_request: paymentRequest, num_satoshis: 100 };
      const first = await withdraw(service.client, wallet, request, hold ? NO_WAIT : {});
      expect(first.status).toBe(hold ? 202 : 201);
      if (hold) await untilHeld(service, paymentHash);
      const before = await balances(service, wallet);
      const differing: object[] = [
        { payment_request: paymentRequest, num_satoshis: 500 },
        { payment_request: paymentRequest, num_satoshis: 99 },
        { payment_request: paymentRequest },
        { payment_request: forge(paymentHash), num_satoshis: 100 },
        { payment_request: forge(paymentHash, { amountMsat: 100_000 }) },
        { payment_request: forge(paymentHash, { amountMsat: 50_000_000 }) },
        { payment_request: forge(paymentHash, { amountMsat: 100_000, ageSeconds: 10_000 }) },
      ];
      for (const json of differing) {
        const response = await withdraw(service.client, wallet, json);
        expect(response, JSON.stringify(json)).toMatchObject({ status: 400, body: { type: 'invoice_mismatch' } });
        expect(response.body.message).toContain(first.body.lnTx.id);
        expect(response.body.message).toContain(hold ? 'is pending' : 'has succeeded');
        expect(response.body).not.toHaveProperty('wtx_id');
      }
      expect(await balances(service, wallet)).toEqual(before);
      // The same request still returns the first payment.
      expect((await withdraw(service.client, wallet, request, NO_WAIT)).body.id).toBe(first.body.id);
      if (hold) net.outside.resolveHold(paymentHash, 'settle');
      await expect.poll(() => balances(service, wallet)).toEqual({ balance_msat: 900_000, pending_msat: 0 });
      expect(await service.problems()).toEqual([]);
    });
  }

  it('rejects a stated amount that differs from the invoice, whether or not it was paid', async () => {
    const wallet = await service.client.wallet(1000);
    const { paymentRequest } = net.outside.invoice({ amountMsat: 100_000 });
    const other = { payment_request: paymentRequest, num_satoshis: 101 };
    expect((await withdraw(service.client, wallet, other)).body).toMatchObject({ status: 400, type: 'invoice_amount_fixed' });
    expect((await withdraw(service.client, wallet, { payment_request: paymentRequest })).status).toBe(201);
    expect((await withdraw(service.client, wallet, other)).body).toMatchObject({ status: 400, type: 'invoice_mismatch' });
  });

  it('starts a new attempt after a failure, with another amount too', async () => {
    const wallet = await service.client.wallet(1000);
    const { paymentRequest } = net.outside.invoice();
    net.nextPayment({ fail: 'NO_ROUTE' });
    const failed = await withdraw(service.client, wallet, { payment_request: paymentRequest, num_satoshis: 100 });
    expect(failed.body).toMatchObject({ type: 'payment_failed' });
    const again = await withdraw(service.client, wallet, { payment_request: paymentRequest, num_satoshis: 200 });
    expect(again).toMatchObject({ status: 201, body: { num_satoshis: -200 } });
    expect(again.headers.get('idempotency-replayed')).toBeNull();
  });

  it('returns a pending or settled payment after its invoice has expired, and starts none then', async () => {
    const wallet = await service.client.wallet(1000);
    const held = net.outside.invoice({ amountMsat: 100_000, expirySeconds: 600, script: { hold: true } });
    const paid = net.outside.invoice({ amountMsat: 100_000, expirySeconds: 600 });
    const unpaid = net.outside.invoice({ amountMsat: 100_000, expirySeconds: 600 });
    const first = await withdraw(service.client, wallet, { payment_request: held.paymentRequest }, NO_WAIT);
    const second = await withdraw(service.client, wallet, { payment_request: paid.paymentRequest });
    expect([first.status, second.status]).toEqual([202, 201]);
    await untilHeld(service, held.paymentHash);
    const now = Date.now;
    vi.spyOn(Date, 'now').mockImplementation(() => now() + 1_200_000);
    const pending = await withdraw(service.client, wallet, { payment_request: held.paymentRequest }, NO_WAIT);
    expect(pending).toMatchObject({ status: 202, body: { id: first.body.id, status: 'pending' } });
    const settled = await withdraw(service.client, wallet, { payment_request: paid.paymentRequest });
    expect(settled).toMatchObject({ status: 201, body: { id: second.body.id } });
    const late = await withdraw(service.client, wallet, { payment_request: unpaid.paymentRequest });
    expect(late.body).toMatchObject({ status: 400, type: 'invoice_expired' });
    vi.restoreAllMocks();
    net.outside.resolveHold(held.paymentHash, 'settle');
    await expect.poll(() => balances(service, wallet)).toEqual({ balance_msat: 800_000, pending_msat: 0 });
    expect(await service.problems()).toEqual([]);
  });

  it('P3: reveals nothing of another account for an invoice that is expired, of another network or badly signed', async () => {
    const owner = await service.client.wallet(1000);
    const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 100_000 });
    expect((await withdraw(service.client, owner, { payment_request: paymentRequest })).status).toBe(201);
    const own = await service.client.post(`/v1/wallet/${owner.id}/invoice`, { num_satoshis: 100 });
    const fresh = randomBytes(32).toString('hex');
    const stranger: TestWallet = await service.neighbour.wallet();
    const responses = async (make: (hash: string) => string): Promise<unknown[]> => {
      const all = [paymentHash, own.r_hash_decoded, fresh].map(async (hash) => {
        const { status, body } = await withdraw(service.neighbour, stranger, { payment_request: make(hash) });
        return { status, type: body.type, message: body.message };
      });
      return Promise.all(all);
    };
    const ways: Record<string, (hash: string) => string> = {
      invoice_expired: (hash) => forge(hash, { amountMsat: 100_000, ageSeconds: 10_000 }),
      invoice_wrong_network: (hash) => forge(hash, { amountMsat: 100_000, network: 'bitcoin' }),
      invoice_undecodable: (hash) => forge(hash, { amountMsat: 100_000 }).replace(/.$/, (last) => (last === 'q' ? 'p' : 'q')),
      invoice_amount_missing: (hash) => forge(hash),
    };
    for (const [type, make] of Object.entries(ways)) {
      const [paid, issued, unknown] = await responses(make);
      expect(unknown, type).toMatchObject({ status: 400, type });
      expect(paid, type).toEqual(unknown);
      expect(issued, type).toEqual(unknown);
    }
    // A payable invoice is rejected with the same error, whether the hash belongs to a payment or to an invoice here.
    const [paid, issued] = await responses((hash) => forge(hash, { amountMsat: 100_000 }));
    expect(paid).toMatchObject({ status: 400, type: 'invoice_mismatch' });
    expect(issued).toEqual(paid);
    expect(JSON.stringify(paid)).not.toContain('lntx_');
    // An invoice that another account has paid is not paid again.
    const same = await withdraw(service.neighbour, stranger, { payment_request: paymentRequest });
    expect(same.body).toMatchObject({ status: 400, type: 'invoice_paid' });
  });

  it('accepts one of two different requests for one hash at once, and returns 400 for the other', async () => {
    const wallet = await service.client.wallet(10_000);
    for (let round = 0; round < 5; round++) {
      const { paymentRequest } = net.outside.invoice();
      const amounts = [100, 200, 100, 300, 200, 100];
      const responses = await Promise.all(
        amounts.map((num_satoshis) => withdraw(service.client, wallet, { payment_request: paymentRequest, num_satoshis })),
      );
      const paid = responses.filter(({ status }) => status === 201);
      expect(new Set(paid.map(({ body }) => body.id)).size).toBe(1);
      const amount = -paid[0]?.body.num_satoshis;
      for (const [i, response] of responses.entries()) {
        if (amounts[i] === amount) expect(response.status).toBe(201);
        else expect(response.body).toMatchObject({ status: 400, type: 'invoice_mismatch' });
      }
    }
    expect(await service.problems()).toEqual([]);
  });
});
