import { describe, expect, it } from 'vitest';
import { startTwoInstances } from '../process/two-instances.ts';
import { onPlayground } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { runVerify } from '../support/process.ts';
import { METADATA_HASH, RemoteService } from './payee.ts';

const ALLOW = { OUTBOUND_ALLOW: '127.0.0.1' };

onPlayground(
  'links of other services on real nodes',
  ({ client, problems }) => {
    const service = RemoteService.ofSuite();

    it('are paid over the network, with a routing fee', async () => {
      const wallet = await client.wallet(1000);
      service.parameters = () => service.payParameters();
      service.callback = async (query) => {
        const order = { num_satoshis: Number(query.get('amount')) / 1000, description_hash: METADATA_HASH, at: 'carol' };
        const { payment_request } = await client.post('/playground/invoice', order);
        return { pr: payment_request, successAction: { tag: 'message', message: 'Enjoy' } };
      };
      const paid = await client.post(`/v1/wallet/${wallet.id}/lnurlp/pay`, { ln_address: service.address, amt_msat: 200_000 });
      expect(paid).toMatchObject({
        num_msat: -200_000,
        status: 'settled',
        wtxType: { name: 'ln_lnurl_pay_outbound' },
        lnTx: { description_hash: METADATA_HASH, success_action: { tag: 'message', message: 'Enjoy' } },
      });
      expect(paid.lnTx.fee_msat).toBeGreaterThan(0);
      const { balance_msat, pending_msat } = await client.get(`/v1/wallet/${wallet.id}`);
      expect({ balance_msat, pending_msat }).toEqual({ balance_msat: 800_000 - paid.lnTx.fee_msat, pending_msat: 0 });
      expect(await problems()).toEqual([]);
    });

    it('that do not respond in time are refused, and nothing is held', async () => {
      const wallet = await client.wallet(1000);
      const json = { ln_address: service.address, amt_msat: 200_000 };
      const pay = () => client.request('POST', `/v1/wallet/${wallet.id}/lnurlp/pay`, { key: client.secretKey, json });
      const silent = () => () => undefined;
      service.requests = [];
      service.parameters = silent;
      const first = pay();
      await expect.poll(() => service.requests.length).toBeGreaterThan(0);
      service.parameters = () => service.payParameters();
      service.callback = silent;
      for (const { body } of await Promise.all([first, pay()])) expect(body).toMatchObject({ status: 400, type: 'lnurl_unavailable' });
      expect(await client.get(`/v1/wallet/${wallet.id}`)).toMatchObject({ balance: 1000, pending_msat: 0 });
      expect(await client.get(`/v1/wallet/${wallet.id}/transactions?status=all`)).toHaveLength(1);
    });

    it('pay into a wallet over the network', async () => {
      const wallet = await client.wallet();
      service.parameters = () => ({
        tag: 'withdrawRequest',
        callback: `${service.url}/cb`,
        k1: '17',
        defaultDescription: 'gift',
        minWithdrawable: 1000,
        maxWithdrawable: 500_000,
      });
      service.callback = (query) => {
        // LUD-03: the service responds, and then pays.
        void client.post('/playground/pay', { payment_request: query.get('pr'), from: 'carol' });
        return { status: 'OK' };
      };
      const made = await client.post(`/v1/wallet/${wallet.id}/lnurl/pull`, { lnurl: service.lnurl, num_satoshis: 300 });
      await expect.poll(async () => (await client.get(`/v1/lntx/${made.id}`)).status).toBe('settled');
      expect((await client.get(`/v1/wallet/${wallet.id}`)).balance).toBe(300);
      expect(await problems()).toEqual([]);
    });
  },
  ALLOW,
);

describe('two instances with their own domains', () => {
  const { key, settings, one, two } = startTwoInstances(ALLOW);

  const balanceOf = async ({ id }: TestWallet): Promise<number> => (await one().get(`/v1/wallet/${id}`)).balance;

  it.each([
    ['the first pays an address of the second', one, two],
    ['the second pays an address of the first', two, one],
  ] as const)('%s, by LNURL and by address', async (name, payer, payee) => {
    const [from, to] = [await payer().wallet(1000), await payee().wallet()];
    const identifier = name.startsWith('the first') ? 'alma' : 'bruno';
    const link = await payee().post(`/v1/wallet/${to.id}/lnurlp`, { lnurlp_short_desc: 'tips', lnurlp_identifier: identifier });
    const address = `${identifier}@${new URL(payee().url).host}`;
    expect(link.ln_address).toBe(address);
    const probe = await payer().get(`/v1/lnurlp/probe/${encodeURIComponent(address)}`);
    expect(probe).toMatchObject({ ln_address: address, metadata: { text: 'tips', identifier: address } });

    const pay = (json: object): Promise<Json> => payer().post(`/v1/wallet/${from.id}/lnurlp/pay`, json);
    const first = await pay({ ln_address: address.toUpperCase(), amt_msat: 21_001, comment: 'hello' });
    expect(first).toMatchObject({ num_msat: -21_001, passThru: { ln_address: address, comment: 'hello' }, lnTx: { fee_msat: 0 } });
    await pay({ lnurlpay_encoded: link.lnurl_encoded, amt_msat: 9_000 });
    await payer().post(`/v1/wallet/${from.id}/withdraw`, { payment_request: address, num_satoshis: 70 });
    expect([await balanceOf(from), await balanceOf(to)]).toEqual([899, 100]);
    const rows: Json[] = await payee().get(`/v1/wallet/${to.id}/transactions?type=ln_lnurl_pay_inbound`);
    expect(rows.map(({ num_msat }) => num_msat)).toEqual([70_000, 9_000, 21_001]);
    expect(rows[2].passThru).toMatchObject({ comment: 'hello' });
  });

  it('one withdraws from a link of the other, once', async () => {
    const [from, to] = [await two().wallet(1000), await one().wallet()];
    const { lnurl } = await two().post(`/v1/wallet/${from.id}/lnurl/withdraw`, { num_satoshis: 300, memo: 'gift' });
    const pull = () => one().request('POST', `/v1/wallet/${to.id}/lnurl/pull`, { key, json: { lnurl, num_satoshis: 250 } });
    const { status, body } = await pull();
    expect([status, body.memo]).toEqual([201, 'gift']);
    await expect.poll(async () => (await one().get(`/v1/lntx/${body.id}`)).status).toBe('settled');
    expect([await balanceOf(from), await balanceOf(to)]).toEqual([750, 250]);
    expect((await pull()).body).toMatchObject({ status: 400, type: 'lnurl_refused' });
    expect([await balanceOf(from), await balanceOf(to)]).toEqual([750, 250]);
  });

  it('W5: requests with one Idempotency-Key through both pay once, although each gets an invoice of its own', async () => {
    const to = await two().wallet();
    const { lnurl_encoded } = await two().post(`/v1/wallet/${to.id}/lnurlp`, {});
    for (let round = 0; round < 5; round++) {
      const from = await one().wallet(100);
      const options = {
        key,
        json: { lnurlpay_encoded: lnurl_encoded, amt_msat: 40_000 },
        headers: { 'idempotency-key': `tip-${round}` },
      };
      const responses = await Promise.all(
        [one(), two(), one(), two()].map((by) => by.request('POST', `/v1/wallet/${from.id}/lnurlp/pay`, options)),
      );
      expect(responses.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
      expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1);
      expect(await balanceOf(from)).toBe(60);
    }
    expect(await balanceOf(to)).toBe(200);
  });

  it('the ledger is correct', async () => {
    const verified = await runVerify(settings());
    expect([verified.code, verified.output]).toEqual([0, expect.any(String)]);
  });
});
