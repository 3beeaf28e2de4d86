import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';

onFakeNode('an invoice that was imported from a program without preimages', ({ client, net, execute, problems }) => {
  const balance = async (id: string): Promise<number> => (await client.get(`/v1/wallet/${id}`)).balance;

  it('holds no money of a wallet that tries to pay it, and is still paid from outside', async () => {
    const [payee, payer] = [await client.wallet(), await client.wallet(500)];
    const { id, payment_request } = await client.post(`/v1/wallet/${payee.id}/invoice`, { num_satoshis: 100 });
    await execute('UPDATE invoice SET preimage = NULL WHERE id = $1', id);
    const options = { key: payer.admin, json: { payment_request }, headers: { prefer: 'respond-async' } };
    const refused = await client.request('POST', `/v1/wallet/${payer.id}/withdraw`, options);
    expect(refused).toMatchObject({ status: 400, body: { type: 'invoice_undecodable' } });
    expect(refused.body.message).toContain('preimage');
    expect(await balance(payer.id)).toBe(500);
    expect(await net.outside.pay({ paymentRequest: payment_request })).toMatchObject({ state: 'succeeded' });
    await expect.poll(() => balance(payee.id)).toBe(100);
    expect(await problems()).toEqual([]);
  });
});
