import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';

/** A label, and its cell in the statement. */
const CELLS: readonly (readonly [string, string])[] = [
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['  =1+1', "'  =1+1"],
  ['\ufeff=1+1', "'\ufeff=1+1"],
  ['＝1+1', "'＝1+1"],
  ['＋1', "'＋1"],
  ['－1', "'－1"],
  ['＠SUM(A1)', "'＠SUM(A1)"],
  ['\ttext', `"'\ttext"`],
  ['\ntext', `"'\ntext"`],
  ['\rtext', `"'\rtext"`],
  ['\n=1+1', `"'\n'=1+1"`],
  ['tea;coffee', '"tea;coffee"'],
  ['tea;=1+1', `"tea;'=1+1"`],
  ['tea\n=1+1', `"tea\n'=1+1"`],
  ['tea, "hot"', '"tea, ""hot"""'],
  ['tea = 2 - 1', 'tea = 2 - 1'],
  ['mail@example.com', 'mail@example.com'],
];

onFakeNode('the statement', (service) => {
  it('quotes separators and neutralizes labels that a spreadsheet would run as formulas', async () => {
    const [from, to] = [await service.client.wallet(100), await service.client.wallet()];
    for (const [memo] of CELLS) {
      await service.client.post(`/v1/wallet/${from.id}/transfer`, { dest_wallet_id: to.id, num_satoshis: 1, memo });
    }
    const { text } = await service.client.request('GET', `/v1/wallet/${to.id}/statement`, { key: service.client.secretKey });
    for (const [i, [, cell]] of CELLS.entries())
      expect(text).toContain(`,ln_transfer_in,${cell},1000,1,${1000 * (i + 1)},,${from.id},,,,,,\r\n`);
  });

  it('names the counterparty: the other wallet of a transfer, or the node of a payment', async () => {
    const [from, to] = [await service.client.wallet(100), await service.client.wallet()];
    await service.client.post(`/v1/wallet/${from.id}/transfer`, { dest_wallet_id: to.id, num_satoshis: 1 });
    const { paymentRequest } = service.net.outside.invoice({ amountMsat: 10_000, script: { fee: 1000 } });
    const paid = await service.client.post(`/v1/wallet/${from.id}/withdraw`, { payment_request: paymentRequest });
    const counterparties = async (walletId: string) => {
      const { text } = await service.client.request('GET', `/v1/wallet/${walletId}/statement`, { key: service.client.secretKey });
      return text.split('\r\n').map((line) => line.split(',')[8] ?? '');
    };
    expect(await counterparties(from.id)).toEqual(['counterparty', '', to.id, paid.lnTx.dest_pubkey, '', '']);
    expect(await counterparties(to.id)).toEqual(['counterparty', from.id, '']);
  });
});
