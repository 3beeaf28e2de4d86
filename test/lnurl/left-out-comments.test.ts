import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it, vi } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';

/** The rule of a payee, and the comment that breaks it. */
const CASES = [
  { rule: 'no comments', allowed: 0, comment: 'x', reason: /^[\w.:]+ accepts no comments\.$/ },
  { rule: 'shorter ones', allowed: 3, comment: 'ööö!', reason: /^[\w.:]+ accepts comments of at most 3 characters\.$/ },
];

onFakeNode('a comment that the receiver does not accept', ({ client, net, problems }) => {
  let payer: TestWallet;
  let payee: TestWallet;
  const received = async (): Promise<Json[]> => client.get(`/v1/wallet/${payee.id}/transactions`);

  async function addressWith(lnurlp_commentAllowed: number): Promise<string> {
    const name = `c${lnurlp_commentAllowed}-${randomUUID().slice(0, 8)}`;
    const { ln_address } = await client.post(`/v1/wallet/${payee.id}/lnurlp`, { lnurlp_identifier: name, lnurlp_commentAllowed });
    return ln_address;
  }

  async function payOut(line: object): Promise<{ line: Json; report: string }> {
    const path = `/v1/wallet/${payer.id}/payouts`;
    const headers = { 'idempotency-key': randomUUID() };
    const { body } = await client.request('POST', path, { key: client.secretKey, json: { lines: [line] }, headers });
    await vi.waitUntil(async () => (await client.get(`${path}/${body.id}`)).status === 'finished', { timeout: 20_000 });
    const response = await fetch(`${client.url}${path}/${body.id}/report`, { headers: { 'x-api-key': client.secretKey } });
    return { line: (await client.get(`${path}/${body.id}`)).lines[0], report: await response.text() };
  }

  beforeAll(async () => {
    [payer, payee] = [await client.wallet(1000), await client.wallet()];
  });

  it.each(CASES)(
    'is left out of a payment to a payee that accepts $rule, and the payment has the reason',
    async ({ allowed, comment, reason }) => {
      const order = { ln_address: await addressWith(allowed), num_satoshis: 5, comment, passThru: { order: 17 } };
      const { status, body } = await client.request('POST', `/v1/wallet/${payer.id}/lnurlp/pay`, { key: client.secretKey, json: order });
      expect(status).toBe(201);
      const passThru = { order: 17, ln_address: order.ln_address, comment_not_sent: expect.stringMatching(reason) };
      expect(body.lnTx.passThru).toEqual(passThru);
      expect((await client.get(`/v1/lntx/${body.lnTx.id}`)).passThru).toEqual(passThru);
      expect((await received())[0]?.passThru).not.toHaveProperty('comment');
      expect(await problems()).toEqual([]);
    },
  );

  it("keeps a field of the caller's passThru that is named comment", async () => {
    const order = { ln_address: await addressWith(0), num_satoshis: 5, comment: 'x', passThru: { comment: 'mine' } };
    const paid = await client.post(`/v1/wallet/${payer.id}/lnurlp/pay`, order);
    expect(paid.lnTx.passThru).toMatchObject({ comment: 'mine', comment_not_sent: expect.any(String) });
  });

  it.each(CASES)(
    'is left out of a line of a payout to a payee that accepts $rule, and the line has the reason',
    async ({ allowed, comment, reason }) => {
      const { line, report } = await payOut({ destination: await addressWith(allowed), num_satoshis: 5, comment });
      expect(line).toMatchObject({ status: 'paid', passThru: { comment_not_sent: expect.stringMatching(reason) } });
      expect(line.passThru).not.toHaveProperty('comment');
      expect((await client.get(`/v1/lntx/${line.lntx_id}`)).passThru).toEqual(line.passThru);
      expect(report).toContain(line.passThru.comment_not_sent);
      expect(await problems()).toEqual([]);
    },
  );

  it('is left out of a line that pays an invoice or another wallet', async () => {
    const { paymentRequest } = net.outside.invoice({ amountMsat: 3000 });
    const invoice = await payOut({ destination: paymentRequest, comment: 'x' });
    expect(invoice.line).toMatchObject({
      status: 'paid',
      passThru: { comment_not_sent: expect.stringMatching(/^The payment of an invoice/) },
    });
    const transfer = await payOut({ destination: payee.id, num_satoshis: 2, comment: 'x' });
    expect(transfer.line).toMatchObject({ status: 'paid', passThru: { comment_not_sent: expect.stringMatching(/^A transfer/) } });
    expect(await problems()).toEqual([]);
  });
});
