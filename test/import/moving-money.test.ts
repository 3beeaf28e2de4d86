import { randomBytes } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { msat } from '../../src/core/kernel/money.ts';
import { paymentHashOf } from '../../src/core/lightning/payment-hash.ts';
import { onFakeNode } from '../support/app.ts';
import { BALANCES, importInto, lnbitsFiles, walletOf } from './lnbits.ts';

const WAIT = { timeout: 30_000, interval: 50 };

const [FIRST = '', SECOND = ''] = BALANCES.map(({ id }) => id);

onFakeNode('money that moves during an import', (app) => {
  const files = lnbitsFiles();
  const balanceOf = async (file: string, id: string) => {
    const key = `waka_${walletOf(file, id).adminkey}`;
    const { body } = await app.client.request('GET', `/v1/wallet/${key}`, { key });
    return { balance: body.balance_msat + body.pending_msat, pending: body.pending_msat };
  };
  /** Creates an invoice on the node, as LNbits does. */
  const foreignInvoice = async (amountMsat: number) => {
    const preimage = randomBytes(32).toString('hex');
    const request = { preimage, amountMsat: msat(amountMsat), description: 'of LNbits', expirySeconds: 86_400 };
    const { paymentRequest } = await app.net.connect().createInvoice(request);
    return { paymentRequest, paymentHash: paymentHashOf(preimage), preimage };
  };
  /** Pays an invoice that its receiver holds, as LNbits does: without an id of this service. */
  const foreignPayment = async (amountMsat: number) => {
    const held = app.net.outside.invoice({ amountMsat, hold: true });
    const order = { paymentId: `of LNbits ${held.paymentHash}`, amountMsat: msat(amountMsat), feeLimitMsat: msat(2000), marker: '00' };
    await app.net.connect().pay({ ...held, ...order });
    return held;
  };
  const pendingRow = (
    wallet: string,
    { paymentHash, paymentRequest }: { paymentHash: string; paymentRequest: string },
    amountMsat: number,
  ) =>
    `UPDATE apipayments SET payment_hash = '${paymentHash}', checking_id = '${paymentHash}', bolt11 = '${paymentRequest}', amount = -${amountMsat}
     WHERE status = 'pending' AND amount < 0 AND wallet_id = '${wallet}'`;
  const openRow = (wallet: string, { paymentHash, paymentRequest }: { paymentHash: string; paymentRequest: string }, amountMsat: number) =>
    `UPDATE apipayments SET payment_hash = '${paymentHash}', checking_id = '${paymentHash}', bolt11 = '${paymentRequest}', amount = ${amountMsat}
     WHERE status = 'pending' AND amount > 0 AND memo = 'open' AND wallet_id = '${wallet}'`;

  it('M2: charges once a payment that was in flight, releases one that failed, and credits once an invoice that was paid meanwhile', async () => {
    app.net.addFunds(10_000_000_000);
    const [succeeding, failing] = [await foreignPayment(70_000), await foreignPayment(80_000)];
    const [late, settled] = [await foreignInvoice(150_000), await foreignInvoice(33_000)];
    const file = files(
      pendingRow(FIRST, succeeding, 70_000),
      pendingRow(SECOND, failing, 80_000),
      openRow(FIRST, late, 150_000),
      `INSERT INTO apipayments (checking_id, payment_hash, bolt11, amount, fee, wallet_id, memo, time, status, preimage) VALUES ('${settled.paymentHash}',
       '${settled.paymentHash}', '${settled.paymentRequest}', 33000, 0, '${SECOND}', 'settled before', 1795856100, 'success', '${settled.preimage}')`,
    );
    // The node reports both after the position up to which the service has read.
    const result = await importInto(app, file, {}, async () => {
      const ofLnbits = app.net.connect();
      ofLnbits.guardIncoming(async () => 'claim');
      for (const { paymentRequest } of [late, settled])
        expect(await app.net.outside.pay({ paymentRequest })).toMatchObject({ state: 'succeeded' });
      await ofLnbits.close();
    });
    expect(result.problems).toEqual([]);
    const openingOf = (id: string) => result.report.wallets.find(({ source_id }) => source_id === id)?.opening_msat ?? 0;

    await vi.waitFor(async () => expect((await balanceOf(file, FIRST)).balance).toBe(openingOf(FIRST) + 150_000), WAIT);
    expect((await balanceOf(file, FIRST)).pending).toBe(72_000);
    expect(await balanceOf(file, SECOND)).toEqual({ balance: openingOf(SECOND), pending: 82_000 });
    // The opening balance has the receipt that LNbits had settled.
    expect(await app.suspenseMsat()).toBe(0);

    app.net.outside.resolveHold(succeeding.paymentHash, 'settle');
    app.net.outside.resolveHold(failing.paymentHash, 'cancel');
    // Until then the node may execute a request that LNbits has sent.
    await app.time.advance(600_000);
    for (let start = 0; start < 2; start++) {
      await app.restart();
      await vi.waitFor(async () => {
        expect(await balanceOf(file, FIRST)).toEqual({ balance: openingOf(FIRST) + 150_000 - 70_000, pending: 0 });
        expect(await balanceOf(file, SECOND)).toEqual({ balance: openingOf(SECOND), pending: 0 });
      }, WAIT);
    }
    expect(await app.suspenseMsat()).toBe(0);
    expect(await app.problems()).toEqual([]);
  });
});
