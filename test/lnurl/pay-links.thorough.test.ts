import { expect, it } from 'vitest';
import { onPlayground } from '../support/app.ts';
import { billFor, decryptAction, termsOf, visit } from './strict-payer.ts';

onPlayground('pay links on real nodes', ({ client, problems }) => {
  it('are paid over the network and inside the service, with the text of LUD-10 for the payer', async () => {
    const [payee, payer] = [await client.wallet(), await client.wallet(1000)];
    const { lnurl_encoded } = await client.post(`/v1/wallet/${payee.id}/lnurlp`, {
      lnurlp_identifier: 'Alma',
      lnurlp_payerData: { name: { mandatory: true } },
      lnurlp_successAction: { tag: 'aes', description: 'The door', text: 'code 4711 ☕' },
    });
    const byLink = await termsOf(lnurl_encoded);
    const byAddress = await termsOf(`${client.url}/.well-known/lnurlp/alma`);
    expect(byAddress).toEqual(byLink);

    const outside = await billFor(byLink, 21_001, { payerData: { name: 'Bob' }, comment: 'hello' });
    await client.post('/playground/pay', { payment_request: outside.pr });
    const inside = await billFor(byAddress, 1_000, { payerData: { name: 'Bob' } });
    const paid = await client.post(`/v1/wallet/${payer.id}/withdraw`, { payment_request: inside.pr });
    expect(paid).toMatchObject({ num_msat: -1000, status: 'settled', lnTx: { fee_msat: 0 } });

    for (const { verify, successAction } of [outside, inside]) {
      await expect.poll(async () => (await visit(verify)).settled).toBe(true);
      expect(decryptAction(successAction, (await visit(verify)).preimage)).toBe('code 4711 ☕');
    }
    expect(paid.lnTx.payment_preimage).toBe((await visit(inside.verify)).preimage);
    const rows = await client.get(`/v1/wallet/${payee.id}/transactions`);
    expect(rows.map(({ num_msat, wtxType }: { num_msat: number; wtxType: object }) => [num_msat, wtxType])).toEqual([
      [1_000, expect.objectContaining({ name: 'ln_lnurl_pay_inbound' })],
      [21_001, expect.objectContaining({ name: 'ln_lnurl_pay_inbound' })],
    ]);
    expect(rows[1].passThru).toMatchObject({ comment: 'hello', payerData: { name: 'Bob' } });
    expect(await problems()).toEqual([]);
  });
});
