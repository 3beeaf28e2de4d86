import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { TestWallet } from '../support/client.ts';

onFakeNode(
  'the outside nodes of a test network',
  ({ client, neighbour, problems }) => {
    const send = (path: string, json: object) => client.request('POST', `/playground/${path}`, { key: client.secretKey, json });
    const balanceOf = async ({ id }: TestWallet) => (await client.get(`/v1/wallet/${id}`)).balance;

    it('pay an address and a pay link of the service, with a comment', async () => {
      const wallet = await client.wallet();
      const fields = { lnurlp_identifier: 'alma', lnurlp_commentAllowed: 20 };
      const { ln_address, lnurl_encoded } = await client.post(`/v1/wallet/${wallet.id}/lnurlp`, fields);
      const paid = await client.post('/playground/pay-link', { destination: ln_address, num_satoshis: 70, comment: 'tea', from: 'carol' });
      expect(paid).toMatchObject({ node: 'carol', direction: 'sent', state: 'succeeded', amount_msat: 70_000 });
      expect(await client.post('/playground/pay-link', { destination: lnurl_encoded, num_satoshis: 5 })).toMatchObject({ node: 'alice' });
      expect(await balanceOf(wallet)).toBe(75);
      const received = await client.get(`/v1/wallet/${wallet.id}/transactions`);
      expect(received.find(({ num_satoshis }: { num_satoshis: number }) => num_satoshis === 70)).toMatchObject({
        passThru: { comment: 'tea' },
        wtxType: { name: 'ln_lnurl_pay_inbound' },
      });
      expect(await problems()).toEqual([]);
    });

    it('are held to the limits of a link', async () => {
      const wallet = await client.wallet();
      const limits = {
        lnurlp_identifier: 'bruno',
        lnurlp_minSendable_msat: 10_000,
        lnurlp_maxSendable_msat: 20_000,
        lnurlp_commentAllowed: 0,
      };
      const { ln_address: destination } = await client.post(`/v1/wallet/${wallet.id}/lnurlp`, limits);
      for (const [order, message] of [[{ num_satoshis: 9 }, /from 10 sat to 20 sat/]] as const) {
        const { status, body } = await send('pay-link', { destination, ...order });
        expect([status, body.type, body.message]).toEqual([400, 'validation_failed', expect.stringMatching(message)]);
      }
      expect(await balanceOf(wallet)).toBe(0);
      const paid = await client.post('/playground/pay-link', { destination, num_satoshis: 10, comment: 'tea' });
      expect(paid.comment_not_sent).toMatch(/^[\w.:]+ accepts no comments\.$/);
      expect(await balanceOf(wallet)).toBe(10);
    });

    it('claim a withdraw link once, by default all that it offers', async () => {
      const wallet = await client.wallet(1000);
      const { lnurl } = await client.post(`/v1/wallet/${wallet.id}/lnurl/withdraw`, { num_satoshis: 500, memo: 'gift' });
      const claimed = await client.post('/playground/claim', { lnurl, at: 'carol' });
      expect(claimed).toMatchObject({ node: 'carol', amount_msat: 500_000, state: 'succeeded' });
      const { payments } = await client.get('/playground/payments');
      expect(payments.at(-1)).toMatchObject({ direction: 'received', payment_hash: claimed.payment_hash, state: 'succeeded' });
      await expect.poll(async () => (await client.get(`/v1/wallet/${wallet.id}`)).pending_msat).toBe(0);
      expect(await balanceOf(wallet)).toBeLessThanOrEqual(500);
      const { status, body } = await send('claim', { lnurl });
      expect([status, body.type, body.message]).toEqual([400, 'lnurl_refused', expect.stringMatching(/has been used/)]);
      expect(await problems()).toEqual([]);
    });

    it('claim the amount that is sent, within the limits of the link', async () => {
      const wallet = await client.wallet(1000);
      const { lnurl } = await client.post(`/v1/wallet/${wallet.id}/lnurl/withdraw`, { num_satoshis: 50 });
      const { status, body } = await send('claim', { lnurl, num_satoshis: 51 });
      expect([status, body.message]).toEqual([400, expect.stringMatching(/from 1 sat to 50 sat/)]);
      expect(await client.post('/playground/claim', { lnurl, num_satoshis: 20 })).toMatchObject({ amount_msat: 20_000 });
    });

    it('use no links of other services, and no link of another kind', async () => {
      const wallet = await client.wallet(1000);
      const { lnurl } = await client.post(`/v1/wallet/${wallet.id}/lnurl/withdraw`, { num_satoshis: 50 });
      const { lnurl_encoded } = await client.post(`/v1/wallet/${wallet.id}/lnurlp`, {});
      const refused = async (path: string, json: object) => {
        const { status, body } = await send(path, json);
        return [status, body.type];
      };
      expect(await refused('pay-link', { destination: 'alma@pay.example.com', num_satoshis: 1 })).toEqual([400, 'playground_refused']);
      expect(await refused('claim', { lnurl: 'lnurlw://pay.example.com/x' })).toEqual([400, 'playground_refused']);
      expect(await refused('pay-link', { destination: lnurl, num_satoshis: 1 })).toEqual([400, 'lnurl_invalid']);
      expect(await refused('claim', { lnurl: lnurl_encoded })).toEqual([400, 'lnurl_invalid']);
      expect((await client.request('POST', '/playground/claim', { json: { lnurl } })).status).toBe(401);
    });

    it('are read without a payment: what a withdraw link offers', async () => {
      const probe = (lnurl: string) => client.request('POST', '/v1/lnurlw/probe', { key: client.secretKey, json: { lnurl } });
      const wallet = await client.wallet(1000);
      const { lnurl } = await client.post(`/v1/wallet/${wallet.id}/lnurl/withdraw`, { num_satoshis: 50, memo: 'gift' });
      const offer = { tag: 'withdrawRequest', minWithdrawable: 1000, maxWithdrawable: 50_000, description: 'gift' };
      expect(await neighbour.post('/v1/lnurlw/probe', { lnurl })).toEqual({ ...offer, domain: new URL(client.url).host });
      const wrong = await probe('alma@pay.example.com');
      expect([wrong.status, wrong.body.type]).toEqual([400, 'lnurl_invalid']);
      await client.post('/playground/claim', { lnurl });
      const used = await probe(lnurl);
      expect([used.status, used.body.type]).toEqual([400, 'lnurl_refused']);
    });
  },
  { PAYMENT_WAIT_SECONDS: '5' },
);
