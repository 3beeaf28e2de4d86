import { expect, it } from 'vitest';
import { appOfWallet } from '../lndhub/app.ts';
import { onFakeNode } from '../support/app.ts';
import { expectListsToEqualBalance } from '../support/app-lists.ts';
import type { Json } from '../support/client.ts';
import { connectApp } from '../support/nwc.ts';
import cases from './cases/app-fees.json' with { type: 'json' };

const { fees, steps, expected } = cases;

onFakeNode(
  'fees of the service in wallet apps',
  ({ client, neighbour, net, problems }) => {
    const setFees = (path: string, rules: object) => client.request('PUT', path, { key: client.secretKey, json: { rules } });

    it('are part of the amounts of LNDhub, whose lists add up to the balance', async () => {
      const [wallet, other] = [await client.wallet(), await client.wallet()];
      await setFees(`/v1/wallets/${wallet.id}/fees`, fees);
      const app = appOfWallet(client, wallet);
      const { payment_request: paymentRequest } = (await app.addInvoice({ amt: steps.receive })).body;
      await net.outside.pay({ paymentRequest });
      await expect.poll(app.balance).toBe(990);
      const paid = (await app.pay(net.outside.invoice({ amountMsat: steps.pay_outside * 1000 }).paymentRequest)).body;
      expect([paid.payment_route.total_fees, paid.fee, paid.value]).toEqual([expected.total_fees, 3, 103]);
      const { payment_request } = await client.post(`/v1/wallet/${other.id}/invoice`, { num_satoshis: steps.pay_internally });
      expect((await app.pay(payment_request)).body).toMatchObject({ fee: 2, fee_msat: 2000, value: 52 });
      expect(await app.balance()).toBe(expected.balance);
      expect((await app.get('/getuserinvoices')).body.map(({ amt }: { amt: number }) => amt)).toEqual(expected.getuserinvoices);
      const sent = (await app.get('/gettxs')).body;
      expect(sent.map(({ value, fee }: { value: number; fee: number }) => [value, fee])).toEqual(expected.gettxs);
      await expectListsToEqualBalance(client, wallet);
      expect(await problems()).toEqual([]);
    });

    it('are in every response and notification of NWC', async () => {
      const wallet = await client.wallet();
      await setFees(`/v1/wallets/${wallet.id}/fees`, fees);
      const app = await connectApp(client, wallet.id);
      const { invoice, payment_hash } = (await app.call('make_invoice', { amount: steps.receive * 1000 })).result;
      await net.outside.pay({ paymentRequest: invoice });
      await expect.poll(() => app.notifications()[0]?.notification).toMatchObject({ type: 'incoming', amount: 990_000, fees_paid: 0 });
      expect((await app.call('lookup_invoice', { payment_hash })).result).toMatchObject({
        state: 'settled',
        amount: 990_000,
        fees_paid: 0,
      });
      const outside = () => net.outside.invoice({ amountMsat: steps.pay_outside * 1000, script: { fee: 7 } }).paymentRequest;
      const sent = { amount: 100_000, fees_paid: expected.fees_paid + 7 };
      expect((await app.call('pay_invoice', { invoice: outside() })).result).toMatchObject({ fees_paid: sent.fees_paid });
      expect((await app.call('pay', { payment: outside() })).result).toMatchObject(sent);
      const { pubkey: destination } = (await client.get('/playground')).nodes.find(({ name }: Json) => name === 'alice');
      const keysend = { pubkey: destination, amount: 21_000 };
      expect((await app.call('pay_keysend', keysend)).result.fees_paid).toBeGreaterThanOrEqual(3000);
      await expect.poll(() => app.notifications().length).toBe(4);
      expect(app.notifications()[1]?.notification).toMatchObject(sent);
      app.close();
      await expectListsToEqualBalance(client, wallet);
      expect(await problems()).toEqual([]);
    });

    it('are part of transfers, and a failed or unpaid item counts nothing', async () => {
      const [wallet, other] = [await client.wallet(1000), await client.wallet()];
      await setFees(`/v1/wallets/${wallet.id}/fees`, fees);
      const lines = [1, 2, 3].map((num_satoshis) => ({ dest_wallet_id: other.id, num_satoshis }));
      await client.request('POST', `/v1/wallet/${wallet.id}/transfers`, {
        key: client.secretKey,
        json: { lines },
        headers: { 'idempotency-key': wallet.id },
      });
      const app = await connectApp(client, wallet.id);
      await client.post(`/v1/wallet/${wallet.id}/transfer`, { dest_wallet_id: other.id, num_satoshis: 40 });
      await expect.poll(() => app.notifications().at(-1)?.notification).toMatchObject({ amount: 40_000, fees_paid: 2000 });
      app.close();
      await appOfWallet(client, wallet).pay(net.outside.invoice({ amountMsat: 5000, script: { fail: 'NO_ROUTE' } }).paymentRequest);
      await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 70 });
      const [out] = (await appOfWallet(client, wallet).get('/gettxs')).body;
      expect([out.value, out.fee, out.fee_msat]).toEqual([42, 2, 2000]);
      for (const one of [wallet, other]) await expectListsToEqualBalance(client, one);
      expect(await problems()).toEqual([]);
    });

    it('of a payment in flight are held, and part of its fee', async () => {
      const wallet = await client.wallet(1000);
      await setFees(`/v1/wallets/${wallet.id}/fees`, fees);
      const app = appOfWallet(client, wallet);
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 100_000, hold: true });
      expect((await app.pay(paymentRequest)).status).toBe(503);
      const [pending] = (await app.get('/gettxs')).body;
      expect(1000 - pending.value).toBe(await app.balance());
      expect(pending.value - pending.fee).toBe(100);
      await net.outside.resolveHold(paymentHash, 'cancel');
      await expect.poll(app.balance).toBe(1000);
      await expectListsToEqualBalance(client, wallet);
    });

    it('of a sub-account are a row of the wallet that gets the share', async () => {
      const parent = (await neighbour.get('/v1/account')).id;
      const share = await neighbour.wallet();
      const { secret_key: key } = await client.post('/v1/accounts', {
        parent_id: parent,
        share_millionths: 250_000,
        revenue_wallet_id: share.id,
      });
      const post = (path: string, json: object) => client.request('POST', path, { key, json });
      const { id } = (await post('/v1/wallet', {})).body;
      await post('/playground/fund', { wallet_id: id, num_satoshis: 1000 });
      await setFees(`/v1/accounts/${parent}/fees`, { ln_out: { flat_msat: 10_001 } });
      const { paymentRequest } = net.outside.invoice({ amountMsat: 100_000 });
      expect((await post(`/v1/wallet/${id}/withdraw`, { payment_request: paymentRequest })).status).toBe(201);
      expect(await neighbour.get(`/v1/wallet/${share.id}`)).toMatchObject({ balance_msat: 2500 });
      await expectListsToEqualBalance(neighbour, share);
    });
  },
  { LNDHUB: 'true', PAYMENT_WAIT_SECONDS: '1' },
  { nwc: { pollMs: 50, relay: { minBackoffMs: 20, maxBackoffMs: 200 } } },
);
