import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Json } from '../support/client.ts';

onFakeNode('the first steps', ({ client, neighbour, dataDir, execute }) => {
  const read = () => client.get('/v1/operator/first-steps');
  const done = async () => (await read()).steps.filter((one: Json) => one.is_done).map((one: Json) => one.step);

  it('are recognized one after the other from what the account has done through the API', async () => {
    expect(await read()).toMatchObject({ is_hidden: false, has_playground: true, wallet_id: null });
    expect((await read()).steps.map((one: Json) => one.step)).toEqual(['wallet', 'receive', 'send', 'address', 'key', 'webhook', 'backup']);
    expect(await done()).toEqual([]);
    const [wallet, other] = [await client.wallet(), await client.wallet()];
    expect(await read()).toMatchObject({ wallet_id: wallet.id });
    expect(await done()).toEqual(['wallet']);
    await client.post('/playground/fund', { wallet_id: wallet.id, num_satoshis: 1000 });
    await client.post(`/v1/wallet/${wallet.id}/transfer`, { dest_wallet_id: other.id, num_satoshis: 10 });
    // A transfer is no payment.
    expect(await done()).toEqual(['wallet', 'receive']);
    const { payment_request } = await client.post('/playground/invoice', { num_satoshis: 5 });
    await client.post(`/v1/wallet/${wallet.id}/withdraw`, { payment_request });
    await client.post(`/v1/wallet/${wallet.id}/lnurlp`, { lnurlp_identifier: 'alma' });
    expect(await done()).toEqual(['wallet', 'receive', 'send', 'address']);
    await client.post('/v1/keys', { kind: 'secret_api', user_label: 'till' });
    await client.post('/v1/webhooks', { url: 'https://shop.example/hook' });
    await execute(`INSERT INTO service_fact (name, value) VALUES ('last_backup', '{"createdAt":1,"file":"${dataDir}","bytes":1}')`);
    expect(await done()).toEqual(['wallet', 'receive', 'send', 'address', 'key', 'webhook', 'backup']);
  });

  it('are hidden for the account, and are for operators only', async () => {
    const change = (is_hidden: unknown, key = client.secretKey) =>
      client.request('PATCH', '/v1/operator/first-steps', { key, json: { is_hidden } });
    expect((await change(true)).body).toMatchObject({ is_hidden: true });
    expect(await read()).toMatchObject({ is_hidden: true });
    expect((await change('yes')).status).toBe(400);
    expect((await change(false)).body).toMatchObject({ is_hidden: false });
    expect((await change(true, neighbour.secretKey)).status).toBe(403);
    expect((await neighbour.request('GET', '/v1/operator/first-steps', { key: neighbour.secretKey })).status).toBe(403);
  });
});
