import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Json } from '../support/client.ts';
import { reloadModulesAfterFile } from '../support/reload-modules.ts';
import { billFor, metadataOf, termsOf, visit } from './strict-payer.ts';

reloadModulesAfterFile();

onFakeNode('a pay link', ({ client, problems }) => {
  const create = (id: string, fields: object = {}): Promise<Json> => client.post(`/v1/wallet/${id}/lnurlp`, fields);
  const payFromOutside = (pr: string): Promise<Json> => client.post('/playground/pay', { payment_request: pr });

  it('is paid by a wallet that follows the LUDs', async () => {
    const wallet = await client.wallet();
    const link = await create(wallet.id, { lnurlp_short_desc: 'tips', lnurlp_minSendable_msat: 1000, lnurlp_maxSendable_msat: 50_000 });
    expect(link.lnurl_decoded).toBe(`${client.url}/v1/wallet/${wallet.lnurlPay}/lnurlp/${link.id}`);
    const terms = await termsOf(link.lnurl_encoded);
    expect(terms).toMatchObject({ callback: link.lnurl_decoded, minSendable: 1000, maxSendable: 50_000, commentAllowed: 255 });
    expect(metadataOf(terms, 'text/plain')).toEqual(['tips']);
    const bill = await billFor(terms, 2345, { comment: 'for the <b>tea</b> ☕' });
    expect(await visit(bill.verify)).toEqual({ status: 'OK', settled: false, preimage: null, pr: bill.pr });
    await payFromOutside(bill.pr);
    await expect.poll(async () => (await client.get(`/v1/wallet/${wallet.id}`)).balance_msat).toBe(2345);
    const [row] = await client.get(`/v1/wallet/${wallet.id}/transactions`);
    expect(row).toMatchObject({
      num_msat: 2345,
      user_label: 'tips',
      wtxType: { name: 'ln_lnurl_pay_inbound' },
      passThru: { lnurlp_id: link.id, comment: 'for the <b>tea</b> ☕' },
    });
    expect(await visit(bill.verify)).toEqual({ status: 'OK', settled: true, preimage: row.lnTx.payment_preimage, pr: bill.pr });
    expect(await problems()).toEqual([]);
  });

  it('applies all of twenty changes at once', async () => {
    const { id } = await create((await client.wallet()).id);
    const change = (json: object) => client.request('PATCH', `/v1/lnurlp/${id}`, { key: client.secretKey, json });
    const responses = await Promise.all(Array.from({ length: 20 }, (_, index) => change({ lnurlp_short_desc: `tips ${index}` })));
    expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200));
    responses.forEach(({ body }, index) => {
      expect(body.lnurlp_short_desc).toBe(`tips ${index}`);
    });
  });
});
