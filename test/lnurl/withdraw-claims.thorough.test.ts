import { expect, it, vi } from 'vitest';
import { decodeBolt11 } from '../../src/core/lightning/bolt11/bolt11.ts';
import { type FakeNodeApp, onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { reloadModulesAfterFile } from '../support/reload-modules.ts';

reloadModulesAfterFile();

interface Claim {
  readonly callback: string;
  readonly k1: string;
}

/** Any address without a key, as a paying wallet calls it. */
async function visit(url: string): Promise<Json> {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  return response.json();
}

function claim({ callback, k1 }: Claim, pr: string): Promise<Json> {
  return visit(`${callback}&k1=${k1}&pr=${pr}`);
}

const OK = { status: 'OK' };
const ERROR = { status: 'ERROR', reason: expect.any(String) };

function linkOf({ client }: FakeNodeApp, wallet: TestWallet, fields: object): Promise<Json> {
  return client.post(`/v1/wallet/${wallet.id}/lnurl/withdraw`, fields);
}

async function balances({ client }: FakeNodeApp, wallet: TestWallet): Promise<Json> {
  const { balance_msat, pending_msat } = await client.get(`/v1/wallet/${wallet.id}`);
  return { balance_msat, pending_msat };
}

const statusOf = async ({ client }: FakeNodeApp, paymentHash: string): Promise<string> =>
  (await client.get(`/v1/lntx/${paymentHash}`)).status;

onFakeNode('a claim that is repeated', (service) => {
  const { net } = service;

  for (const uses of [1, 3]) {
    it(`L9: returns OK while the claim of a link with ${uses} use(s) is pending and after it is settled, by either token`, async () => {
      const wallet = await service.client.wallet(1000);
      const other = await linkOf(service, wallet, { num_satoshis: 100 });
      const link = await linkOf(service, wallet, { num_satoshis: 100, uses });
      const step = await visit(link.url);
      const byBalance = await visit(step.balanceCheck);
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 100_000, script: { hold: true, fee: 0 } });
      expect(await claim(step, paymentRequest)).toEqual(OK);
      const repeats = async (): Promise<void> => {
        expect(await claim(step, paymentRequest)).toEqual(OK);
        expect(await claim(step, paymentRequest.toUpperCase())).toEqual(OK);
        expect(await claim(byBalance, paymentRequest)).toEqual(OK);
        expect(await visit(`${link.url}&pr=${paymentRequest}`)).toEqual(OK);
        // Only this link, and only for holders of its tokens.
        expect(await visit(`${other.url}&pr=${paymentRequest}`)).toEqual(ERROR);
        expect(await claim({ ...step, k1: byBalance.k1 }, paymentRequest)).toEqual(ERROR);
        expect(await visit(`${link.url.replace(link.ott, 'x'.repeat(24))}&pr=${paymentRequest}`)).toEqual(ERROR);
      };
      await expect.poll(() => net.outside.payments().find((paid) => paid.paymentHash === paymentHash)?.state).toBe('pending');
      await repeats();
      net.outside.resolveHold(paymentHash, 'settle');
      await expect.poll(() => balances(service, wallet)).toEqual({ balance_msat: 900_000, pending_msat: 0 });
      await repeats();
      const now = Date.now;
      vi.spyOn(Date, 'now').mockImplementation(() => now() + 7_200_000);
      // The invoice and the link may have expired by then, and the wallet may be inactive.
      await repeats();
      vi.restoreAllMocks();
      await service.client.request('PATCH', `/v1/wallet/${wallet.id}`, { key: service.client.secretKey, json: { status: 'inactive' } });
      await repeats();
      expect(await balances(service, wallet)).toEqual({ balance_msat: 900_000, pending_msat: 0 });
      expect(await service.problems()).toEqual([]);
    });
  }

  it('L9: returns OK to all of twenty equal claims at once, and takes one use', async () => {
    const wallet = await service.client.wallet(1000);
    const link = await linkOf(service, wallet, { num_satoshis: 100, uses: 2 });
    const step = await visit(link.url);
    const { paymentRequest } = net.outside.invoice({ amountMsat: 100_000, script: { fee: 0 } });
    const responses = await Promise.all(Array.from({ length: 20 }, () => claim(step, paymentRequest)));
    for (const response of responses) expect(response).toEqual(OK);
    await expect.poll(() => balances(service, wallet)).toEqual({ balance_msat: 900_000, pending_msat: 0 });
    expect(await claim(step, net.outside.invoice({ amountMsat: 100_000, script: { fee: 0 } }).paymentRequest)).toEqual(OK);
    expect(await claim(step, net.outside.invoice({ amountMsat: 100_000 }).paymentRequest)).toEqual(ERROR);
    await expect.poll(() => balances(service, wallet)).toEqual({ balance_msat: 800_000, pending_msat: 0 });
    expect(await service.problems()).toEqual([]);
  });

  it('returns OK only after a commit, because a standby may not have the first claim', async () => {
    const wallet = await service.client.wallet(1000);
    const step = await visit((await linkOf(service, wallet, { num_satoshis: 100 })).url);
    const { paymentRequest } = net.outside.invoice({ amountMsat: 100_000, script: { fee: 0 } });
    expect(await claim(step, paymentRequest)).toEqual(OK);
    await expect.poll(() => balances(service, wallet)).toEqual({ balance_msat: 900_000, pending_msat: 0 });
    service.connectionFailsAt = (name) => name === 'ensureDurable';
    expect(await claim(step, paymentRequest)).toEqual(ERROR);
    service.connectionFailsAt = undefined;
    expect(await claim(step, paymentRequest)).toEqual(OK);
  });

  it('starts a new payment after a failure', async () => {
    const wallet = await service.client.wallet(1000);
    const link = await linkOf(service, wallet, { num_satoshis: 100 });
    const step = await visit(link.url);
    const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 100_000 });
    net.nextPayment({ fail: 'NO_ROUTE' });
    expect(await claim(step, paymentRequest)).toEqual(OK);
    await expect.poll(() => statusOf(service, paymentHash)).toBe('failed');
    net.nextPayment({ fee: 0 });
    expect(await claim(step, paymentRequest)).toEqual(OK);
    await expect.poll(() => balances(service, wallet)).toEqual({ balance_msat: 900_000, pending_msat: 0 });
  });

  it('rejects an invoice that the wallet itself has paid, and names no payment of it', async () => {
    const wallet = await service.client.wallet(1000);
    const { paymentRequest } = net.outside.invoice({ amountMsat: 100_000, script: { fee: 0 } });
    await service.client.post(`/v1/wallet/${wallet.id}/withdraw`, { payment_request: paymentRequest });
    const link = await linkOf(service, wallet, { num_satoshis: 100 });
    const response = await claim(await visit(link.url), paymentRequest);
    expect(response).toEqual(ERROR);
    expect(response.reason).not.toMatch(/lntx_|msat/);
  });
});

onFakeNode('k1 without ott', (service) => {
  const { net } = service;

  it('identifies the link, for both of its tokens', async () => {
    const wallet = await service.client.wallet(1000);
    for (const byBalance of [false, true]) {
      const link = await linkOf(service, wallet, { num_satoshis: 100 });
      const first = await visit(link.url);
      const step = byBalance ? await visit(first.balanceCheck) : first;
      const base = `${service.client.url}/v1/user/wallet/${wallet.lnurlWithdraw}/lnurl-process`;
      const { balance_msat } = await balances(service, wallet);
      const offer = await visit(`${base}?k1=${step.k1}`);
      expect(offer).toMatchObject({ tag: 'withdrawRequest', callback: base, k1: step.k1, maxWithdrawable: 100_000 });
      expect(offer).not.toHaveProperty('balanceCheck');
      const { paymentRequest } = net.outside.invoice({ amountMsat: 100_000, script: { fee: 0 } });
      const larger = net.outside.invoice({ amountMsat: 101_000, script: { fee: 0 } });
      expect(await visit(`${base}?k1=${step.k1}&pr=${larger.paymentRequest}`)).toEqual(ERROR);
      expect(await visit(`${base}?k1=${step.k1}&num_satoshis=99&pr=${paymentRequest}`)).toEqual(ERROR);
      expect(await visit(`${base}?k1=${step.k1}&pr=${paymentRequest}`)).toEqual(OK);
      expect(await visit(`${base}?k1=${step.k1}&pr=${paymentRequest}`)).toEqual(OK);
      await expect.poll(() => balances(service, wallet)).toEqual({ balance_msat: balance_msat - 100_000, pending_msat: 0 });
      const next = net.outside.invoice({ amountMsat: 100_000 });
      expect(await visit(`${base}?k1=${step.k1}&pr=${next.paymentRequest}`)).toEqual(ERROR);
    }
    expect(await service.problems()).toEqual([]);
  });

  it('rejects every k1 and ott of another wallet with the same error', async () => {
    const [wallet, other] = [await service.client.wallet(1000), await service.client.wallet(1000)];
    const link = await linkOf(service, wallet, { num_satoshis: 100 });
    const { k1 } = await visit(link.url);
    const { paymentRequest: pr } = net.outside.invoice({ amountMsat: 100_000 });
    const at = (key: string, query: string) => visit(`${service.client.url}/v1/wallet/${key}/lnurl-process?${query}&pr=${pr}`);
    const altered = `${k1.slice(0, -1)}${k1.endsWith('0') ? '1' : '0'}`;
    const refused = await at(wallet.lnurlWithdraw, `k1=${altered}`);
    expect(refused).toEqual(ERROR);
    const cases: [key: string, query: string][] = [
      [wallet.lnurlWithdraw, `k1=${'0'.repeat(64)}`],
      [wallet.lnurlWithdraw, `k1=${k1.toUpperCase()}x`],
      [wallet.lnurlWithdraw, `k1=${link.ott}`],
      [wallet.lnurlWithdraw, `ott=${k1}`],
      [wallet.lnurlWithdraw, `ott=${k1}&k1=${k1}`],
      [wallet.lnurlWithdraw, `ott=${link.ott}&k1=${altered}`],
      [wallet.lnurlWithdraw, `ott=x&k1=${k1}`],
      [other.lnurlWithdraw, `k1=${k1}`],
      ['waklw_x', `k1=${k1}`],
    ];
    for (const [key, query] of cases) expect(await at(key, query), query).toEqual(refused);
    expect(await visit(`${service.client.url}/v1/wallet/${wallet.lnurlWithdraw}/lnurl-process?pr=${pr}`)).toEqual(ERROR);
    expect(await balances(service, wallet)).toEqual({ balance_msat: 1_000_000, pending_msat: 0 });
  });
});

onFakeNode('the fee limit of a link', (service) => {
  const { net } = service;

  it('is 1 % of the amount and at least 1 sat unless the request gives it, by GET and POST', async () => {
    const wallet = await service.client.wallet(100_000);
    const cases: [fields: object, feeLimitMsat: number][] = [
      [{ num_satoshis: 1 }, 1_000],
      [{ num_satoshis: 100 }, 1_000],
      [{ num_satoshis: 101 }, 1_010],
      [{ num_satoshis: 50_000 }, 500_000],
      [{ num_satoshis: 50_000, fee_limit_msat: 0 }, 0],
      [{ num_satoshis: 1, fee_limit_msat: 7_777 }, 7_777],
      [{}, 1_000_000],
    ];
    for (const [fields, fee_limit_msat] of cases) {
      expect(await linkOf(service, wallet, fields)).toMatchObject({ fee_limit_msat });
      const query = Object.entries(fields)
        .map(([name, value]) => `${name}=${value}`)
        .join('&');
      expect(await service.client.get(`/v1/wallet/${wallet.id}/lnurl/withdraw?${query}`)).toMatchObject({ fee_limit_msat });
    }
    for (const fee_limit_msat of [-1, 1.5, 2 ** 53]) {
      const json = { num_satoshis: 1, fee_limit_msat };
      const response = await service.client.request('POST', `/v1/wallet/${wallet.id}/lnurl/withdraw`, {
        key: service.client.secretKey,
        json,
      });
      expect(response.status).toBe(400);
    }
  });

  it('L10: is the most that routing a claim may cost, also through a channel of the claimer', async () => {
    const wallet = await service.client.wallet(10_000);
    for (const [fee, paid] of [
      [1_000, true],
      [1_001, false],
    ] as const) {
      const link = await linkOf(service, wallet, { num_satoshis: 100 });
      const before = await balances(service, wallet);
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 100_000, script: { fee } });
      expect(await claim(await visit(link.url), paymentRequest)).toEqual(OK);
      await expect.poll(() => statusOf(service, paymentHash)).toBe(paid ? 'settled' : 'failed');
      const cost = paid ? 101_000 : 0;
      expect(await balances(service, wallet)).toEqual({ balance_msat: before.balance_msat - cost, pending_msat: 0 });
    }
    expect(await service.problems()).toEqual([]);
  });

  it('is subtracted from the amount that a link offers, so a claim of all of it can pay the routing fee', async () => {
    for (const [balance, fields, offered] of [
      [100, { num_satoshis: 100 }, 99_000],
      [100, { num_satoshis: 100, fee_limit_msat: 2_500 }, 97_500],
      [100, { num_satoshis: 100, fee_limit_msat: 0 }, 100_000],
      [100, { num_satoshis: 50 }, 50_000],
      [1000, {}, 990_000],
    ] as const) {
      const wallet = await service.client.wallet(balance);
      const link = await linkOf(service, wallet, fields);
      const step = await visit(link.url);
      expect(step.maxWithdrawable).toBe(offered);
      const more = net.outside.invoice({ amountMsat: offered + 1 });
      expect(await claim(step, more.paymentRequest)).toEqual(ERROR);
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: offered, script: { fee: 'limit' } });
      expect(await claim(step, paymentRequest)).toEqual(OK);
      await expect.poll(() => statusOf(service, paymentHash)).toBe('settled');
      const left = balance * 1000 - offered - link.fee_limit_msat;
      expect(await balances(service, wallet)).toEqual({ balance_msat: left, pending_msat: 0 });
    }
    const poor = await service.client.wallet(1);
    const { url } = await linkOf(service, poor, { num_satoshis: 100 });
    expect(await visit(url)).toEqual(ERROR);
    const json = {};
    const none = await service.client.request('POST', `/v1/wallet/${poor.id}/lnurl/withdraw`, { key: service.client.secretKey, json });
    expect(none.body).toMatchObject({ status: 400, type: 'insufficient_balance' });
    expect(await service.problems()).toEqual([]);
  });

  it('is subtracted from the budget and the limit of the key that created the link', async () => {
    const wallet = await service.client.wallet(1000);
    for (const limits of [{ budget_msat: 100_000, budget_period: 'ever' }, { max_payment_msat: 100_000 }]) {
      const made = await service.client.request('POST', `/v1/wallet/${wallet.id}/keys`, {
        key: service.client.secretKey,
        json: { kind: 'wallet_admin', ...limits },
      });
      expect(made.status, made.text).toBe(201);
      const link = await service.client.request('POST', `/v1/wallet/${wallet.id}/lnurl/withdraw`, {
        key: made.body.key,
        json: { num_satoshis: 500, fee_limit_msat: 3_000 },
      });
      const step = await visit(link.body.url);
      expect(step.maxWithdrawable).toBe(97_000);
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 97_000, script: { fee: 3_000 } });
      expect(await claim(step, paymentRequest)).toEqual(OK);
      await expect.poll(() => statusOf(service, paymentHash)).toBe('settled');
    }
    expect(await service.problems()).toEqual([]);
  });
});

onFakeNode('the wallet transaction of a claim', (service) => {
  const { net } = service;

  it('has the label, passThru and id of the link, and the claimer’s memo only in lnTx', async () => {
    const wallet = await service.client.wallet(1000);
    for (const outcome of ['settled', 'pending', 'failed'] as const) {
      const passThru = { ticketId: '23', lnurlw_id: 'mine' };
      const link = await linkOf(service, wallet, { num_satoshis: 100, memo: 'gift', passThru });
      const script = outcome === 'settled' ? { fee: 0 } : outcome === 'pending' ? { hold: true } : { fail: 'NO_ROUTE' as const };
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 10_000, memo: 'claimer', script });
      expect(decodeBolt11(paymentRequest).description).toBe('claimer');
      expect(await claim(await visit(link.url), paymentRequest)).toEqual(OK);
      await expect.poll(() => statusOf(service, paymentHash)).toBe(outcome);
      const rows: Json[] = await service.client.get(`/v1/wallet/${wallet.id}/transactions?status=${outcome}`);
      const row = rows.find(({ lnTx }) => lnTx?.r_hash_decoded === paymentHash);
      expect(row).toMatchObject({
        user_label: 'gift',
        wtxType: { name: 'ln_lnurl_withdraw' },
        passThru: { ticketId: '23', lnurlw_id: link.id },
        lnTx: { memo: 'claimer' },
      });
      if (outcome === 'pending') net.outside.resolveHold(paymentHash, 'cancel');
    }
    const plain = await linkOf(service, wallet, { num_satoshis: 100 });
    const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 10_000, memo: 'claimer', script: { fee: 0 } });
    expect(await claim(await visit(plain.url), paymentRequest)).toEqual(OK);
    await expect.poll(() => statusOf(service, paymentHash)).toBe('settled');
    const [row] = await service.client.get(`/v1/wallet/${wallet.id}/transactions`);
    expect(row).toMatchObject({ user_label: 'claimer', passThru: { lnurlw_id: plain.id } });
  });
});
