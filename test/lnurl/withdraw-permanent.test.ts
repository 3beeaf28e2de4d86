import { afterEach, expect, it, vi } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { reloadModulesAfterFile } from '../support/reload-modules.ts';
import {
  balancesOf,
  claim,
  claimAll,
  linkOf,
  MONTH,
  noonIn,
  OK,
  permanentLink,
  readLink,
  refused,
  revokeLink,
  setClock,
  untilNothingPending,
  visit,
} from './claiming-wallet.ts';

reloadModulesAfterFile();
afterEach(() => {
  vi.restoreAllMocks();
});

onFakeNode('a permanent withdraw link', (service) => {
  const { client, net } = service;
  const invoice = (amountMsat: number, script: object = { fee: 0 }) => net.outside.invoice({ amountMsat, script, expirySeconds: MONTH });

  it('is paid again and again, up to its limit per claim, until it is revoked', async () => {
    const wallet = await client.wallet(1000);
    const link = await permanentLink(service, wallet, { num_satoshis: 100, memo: 'faucet' });
    expect(link).toMatchObject({ uses: null, uses_left: null, num_satoshis: 100, fee_limit_msat: null, daily_limit_msat: null });
    expect(new URL(link.url).searchParams.get('num_satoshis')).toBe('100');
    for (let claims = 1; claims <= 4; claims++) {
      expect(await visit(link.url)).toMatchObject({ minWithdrawable: 1_000, maxWithdrawable: 100_000, defaultDescription: 'faucet' });
      expect(await claimAll(link.url, invoice(100_001).paymentRequest)).toEqual(refused(/at most 100000/));
      expect(await claimAll(link.url, invoice(100_000).paymentRequest)).toEqual(OK);
      await untilNothingPending(service, wallet);
      expect(await readLink(service, wallet, link.id)).toMatchObject({ uses_left: null, claims, claimed_msat: claims * 100_000 });
    }
    await revokeLink(service, wallet, link.id);
    expect(await claimAll(link.url, invoice(1_000).paymentRequest)).toEqual(refused(/revoked/));
    expect(await balancesOf(service, wallet)).toEqual({ balance_msat: 600_000, pending_msat: 0 });
    expect(await service.problems()).toEqual([]);
  });

  it('offers the balance of the moment without a limit per claim, less 1 % for routing', async () => {
    const wallet = await client.wallet();
    const { url, num_satoshis } = await permanentLink(service, wallet, {});
    expect(num_satoshis).toBeNull();
    expect(new URL(url).searchParams.has('num_satoshis')).toBe(false);
    expect(await visit(url)).toEqual(refused(/nothing to withdraw/));
    await client.post('/playground/fund', { wallet_id: wallet.id, num_satoshis: 1010 });
    const offer = await visit(url);
    expect(offer).toMatchObject({ maxWithdrawable: 1_000_000 });
    expect(offer).not.toHaveProperty('currentBalance');
    expect(await claim(offer, invoice(1_000_000, { fee: 'limit' }).paymentRequest)).toEqual(OK);
    await untilNothingPending(service, wallet);
    expect(await balancesOf(service, wallet)).toEqual({ balance_msat: 0, pending_msat: 0 });
  });

  it('allows a fee of 1 % of each claim, so many small claims cost no more than large ones', async () => {
    const wallet = await client.wallet(100_000);
    const link = await permanentLink(service, wallet, { num_satoshis: 50_000 });
    const dear = invoice(1_000, { fee: 1_001 });
    expect(await claimAll(link.url, dear.paymentRequest)).toEqual(OK);
    await untilNothingPending(service, wallet);
    expect((await client.get(`/v1/lntx/${dear.paymentHash}`)).status).toBe('failed');
    expect(await balancesOf(service, wallet)).toEqual({ balance_msat: 100_000_000, pending_msat: 0 });
  });

  it('is created by GET as well, by an admin key, and not by keys that cannot withdraw', async () => {
    const wallet = await client.wallet(10);
    const path = `/v1/wallet/${wallet.id}/lnurl/withdraw-static`;
    const fields = { num_satoshis: 5, memo: 'm', user_label: 'l', daily_limit_msat: 7_000, fee_limit_msat: 2, passThru: { a: '1' } };
    const shown = { ...fields, uses: null, passThru: { a: '1' } };
    const post = await client.request('POST', path, { key: wallet.admin, json: fields });
    expect([post.status, post.body]).toEqual([201, expect.objectContaining(shown)]);
    const query = 'num_satoshis=5&Memo=m&user_label=l&daily_limit_msat=7000&fee_limit_msat=2&passThru={"a":"1"}';
    const get = await client.request('GET', `${path}?${query}`, { key: wallet.admin });
    expect([get.status, get.body]).toEqual([200, expect.objectContaining(shown)]);
    for (const key of [wallet.invoice, wallet.read, client.publicKey]) {
      expect((await client.request('POST', path, { key, json: fields })).status).toBe(403);
      expect((await client.request('GET', `${path}?${query}`, { key })).status).toBe(403);
    }
    for (const wrong of [{ uses: 2 }, { expiry: 60 }, { daily_limit_msat: 0 }, { daily_limit_msat: null }, { daily_limit_sat: 5 }]) {
      const response = await client.request('POST', path, { key: wallet.admin, json: { ...fields, ...wrong } });
      expect([response.status, response.body.type], JSON.stringify(wrong)).toEqual([400, 'validation_failed']);
      expect(response.body.message).toContain(`\`${Object.keys(wrong)[0]}\``);
    }
  });

  it('is returned again, with its token, to a request with the same Idempotency-Key', async () => {
    const wallet = await client.wallet(1000);
    const options = { key: client.secretKey, json: { num_satoshis: 5 }, headers: { 'idempotency-key': 'one' } };
    const post = () => client.request('POST', `/v1/wallet/${wallet.id}/lnurl/withdraw-static`, options);
    const first = await post();
    expect(await claimAll(first.body.url, invoice(5_000).paymentRequest)).toEqual(OK);
    await untilNothingPending(service, wallet);
    const second = await post();
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    // The tokens of the first response, and the present state.
    const counted = { claims: 1, claimed_msat: 5_000, last_claimed_at: expect.any(Number), daily_spent_msat: 5_000 };
    expect(second.body).toEqual({ ...first.body, ...counted });
  });
});

onFakeNode('the daily limit of a withdraw link', (service) => {
  const { client, net } = service;
  const invoice = (amountMsat: number, script: object = { fee: 0 }) => net.outside.invoice({ amountMsat, script, expirySeconds: MONTH });
  const spentToday = async (wallet: TestWallet, { id }: Json): Promise<Json> => {
    const { daily_spent_msat, daily_pending_msat } = await readLink(service, wallet, id);
    return [daily_spent_msat, daily_pending_msat];
  };

  for (const path of ['withdraw', 'withdraw-static']) {
    it(`counts amounts and routing fees of the UTC day, with ${path}`, async () => {
      const wallet = await client.wallet(10_000);
      const uses = path === 'withdraw' ? { uses: 100 } : {};
      setClock(noonIn(1));
      const link = await linkOf(service, wallet, { num_satoshis: 100, fee_limit_msat: 1_000, daily_limit_msat: 250_000, ...uses }, path);
      expect(await claimAll(link.url, invoice(100_000, { fee: 500 }).paymentRequest)).toEqual(OK);
      await untilNothingPending(service, wallet);
      expect(await spentToday(wallet, link)).toEqual([100_500, 0]);
      expect(await claimAll(link.url, invoice(100_000).paymentRequest)).toEqual(OK);
      await untilNothingPending(service, wallet);
      expect(await visit(link.url)).toMatchObject({ maxWithdrawable: 48_500 });
      expect(await claimAll(link.url, invoice(48_501).paymentRequest)).toEqual(refused(/at most 48500/));
      expect(await claimAll(link.url, invoice(48_500, { fee: 'limit' }).paymentRequest)).toEqual(OK);
      await untilNothingPending(service, wallet);
      expect(await spentToday(wallet, link)).toEqual([250_000, 0]);
      expect(await claimAll(link.url, invoice(1_000).paymentRequest)).toEqual(refused(/daily limit/));
      setClock(noonIn(2));
      expect(await spentToday(wallet, link)).toEqual([0, 0]);
      expect(await visit(link.url)).toMatchObject({ maxWithdrawable: 100_000 });
      expect(await claimAll(link.url, invoice(100_000).paymentRequest)).toEqual(OK);
      await untilNothingPending(service, wallet);
      expect(await readLink(service, wallet, link.id)).toMatchObject({ claims: 4, claimed_msat: 348_500, daily_spent_msat: 100_000 });
      expect(await service.problems()).toEqual([]);
    });
  }

  it('L4: counts a claim in flight with its fee limit, and a failed claim not at all, on the day of the claim', async () => {
    const wallet = await client.wallet(10_000);
    setClock(noonIn(1));
    const link = await permanentLink(service, wallet, { num_satoshis: 100, fee_limit_msat: 1_000, daily_limit_msat: 150_000 });
    const held = invoice(100_000, { hold: true, fee: 0 });
    expect(await claimAll(link.url, held.paymentRequest)).toEqual(OK);
    expect(await spentToday(wallet, link)).toEqual([0, 101_000]);
    expect(await visit(link.url)).toMatchObject({ maxWithdrawable: 48_000 });
    setClock(noonIn(2));
    expect(await visit(link.url)).toMatchObject({ maxWithdrawable: 100_000 });
    expect(await claimAll(link.url, invoice(100_000).paymentRequest)).toEqual(OK);
    await expect.poll(() => spentToday(wallet, link)).toEqual([100_000, 0]);
    // Its end changes the day on which it began.
    net.outside.resolveHold(held.paymentHash, 'cancel');
    await untilNothingPending(service, wallet);
    expect(await spentToday(wallet, link)).toEqual([100_000, 0]);
    expect(await readLink(service, wallet, link.id)).toMatchObject({ claims: 1, claimed_msat: 100_000, pending_msat: 0 });
    expect(await service.problems()).toEqual([]);
  });

  it('reserves no fee for a claim that is paid to another wallet of the service', async () => {
    const [wallet, friend] = [await client.wallet(1000), await client.wallet()];
    const link = await permanentLink(service, wallet, { num_satoshis: 100, fee_limit_msat: 5_000, daily_limit_msat: 105_000 });
    const { payment_request } = await client.post(`/v1/wallet/${friend.id}/invoice`, { num_satoshis: 100 });
    expect(await claimAll(link.url, payment_request)).toEqual(OK);
    await untilNothingPending(service, wallet);
    expect(await spentToday(wallet, link)).toEqual([100_000, 0]);
    expect(await service.problems()).toEqual([]);
  });

  it('S7 L4: counts a claim that succeeds late, even beyond the limit, on its own day', async () => {
    const wallet = await client.wallet(10_000);
    setClock(noonIn(1));
    const link = await permanentLink(service, wallet, { num_satoshis: 100, fee_limit_msat: 0, daily_limit_msat: 100_000 });
    const late = invoice(100_000, { lateSuccessMs: 60_000, fee: 0 });
    expect(await claimAll(link.url, late.paymentRequest)).toEqual(OK);
    await expect.poll(async () => (await client.get(`/v1/lntx/${late.paymentHash}`)).status).toBe('failed');
    expect(await claimAll(link.url, invoice(100_000).paymentRequest)).toEqual(OK);
    await expect.poll(() => spentToday(wallet, link)).toEqual([100_000, 0]);
    service.time.advance(60_000);
    await expect.poll(() => spentToday(wallet, link)).toEqual([200_000, 0]);
    expect(await visit(link.url)).toEqual(refused(/daily limit/));
    expect(await readLink(service, wallet, link.id)).toMatchObject({ claims: 2, claimed_msat: 200_000 });
    expect(await service.problems()).toEqual([]);
  });
});
