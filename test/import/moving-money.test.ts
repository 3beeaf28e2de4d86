import { randomBytes } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { msat } from '../../src/core/kernel/money.ts';
import { paymentHashOf } from '../../src/core/lightning/payment-hash.ts';
import { type FakeNodeApp, onFakeNode } from '../support/app.ts';
import { BALANCES, importInto, lnbitsFiles, walletOf } from './lnbits.ts';

const WAIT = { timeout: 150_000, interval: 50 };

const [FIRST = '', SECOND = ''] = BALANCES.map(({ id }) => id);

interface ForeignInvoice {
  readonly paymentRequest: string;
  readonly paymentHash: string;
  readonly preimage: string;
}

/** Creates an invoice on the node, as LNbits does. */
async function foreignInvoice({ net }: FakeNodeApp, amountMsat: number): Promise<ForeignInvoice> {
  const preimage = randomBytes(32).toString('hex');
  const request = { preimage, amountMsat: msat(amountMsat), description: 'of LNbits', expirySeconds: 86_400 };
  const { paymentRequest } = await net.connect().createInvoice(request);
  return { paymentRequest, paymentHash: paymentHashOf(preimage), preimage };
}

/** Pays invoices of LNbits. The node reports them after the position up to which the service has read. */
async function payForeign({ net }: FakeNodeApp, paymentRequests: readonly string[]): Promise<void> {
  const ofLnbits = net.connect();
  ofLnbits.guardIncoming(async () => 'claim');
  for (const paymentRequest of paymentRequests) expect(await net.outside.pay({ paymentRequest })).toMatchObject({ state: 'succeeded' });
  await ofLnbits.close();
}

/** Returns SQL that inserts an invoice that LNbits has settled. */
function settledRow(wallet: string, { paymentHash, paymentRequest, preimage }: ForeignInvoice, amountMsat: number): string {
  return `INSERT INTO apipayments (checking_id, payment_hash, bolt11, amount, fee, wallet_id, memo, time, status, preimage) VALUES ('${paymentHash}',
    '${paymentHash}', '${paymentRequest}', ${amountMsat}, 0, '${wallet}', 'settled before', 1795856100, 'success', '${preimage}')`;
}

onFakeNode('money that moves during an import', (app) => {
  const files = lnbitsFiles();
  const balanceOf = async (file: string, id: string) => {
    const key = `waka_${walletOf(file, id).adminkey}`;
    const { body } = await app.client.request('GET', `/v1/wallet/${key}`, { key });
    return { balance: body.balance_msat + body.pending_msat, pending: body.pending_msat };
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
    const [late, settled] = [await foreignInvoice(app, 150_000), await foreignInvoice(app, 33_000)];
    const file = files(
      pendingRow(FIRST, succeeding, 70_000),
      pendingRow(SECOND, failing, 80_000),
      openRow(FIRST, late, 150_000),
      settledRow(SECOND, settled, 33_000),
    );
    const result = await importInto(app, file, {}, () =>
      payForeign(
        app,
        [late, settled].map(({ paymentRequest }) => paymentRequest),
      ),
    );
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

onFakeNode('an import without history', (app) => {
  const files = lnbitsFiles();

  it('does not credit again a receipt in the opening balance that the node reports later', async () => {
    app.net.addFunds(10_000_000_000);
    const { paymentHash, paymentRequest, preimage } = await foreignInvoice(app, 33_000);
    const file = files(settledRow(SECOND, { paymentHash, paymentRequest, preimage }, 33_000));
    const { report, problems } = await importInto(app, file, { hasHistory: false }, () => payForeign(app, [paymentRequest]));
    expect(problems).toEqual([]);
    const openingMsat = report.wallets.find(({ source_id }) => source_id === SECOND)?.opening_msat ?? 0;
    expect(await app.rows('SELECT count(*) AS n FROM imported_transaction')).toEqual([{ n: 0 }]);

    // Receipts are read in their order, so the first one was read when this one is credited.
    const later = await app.client.wallet();
    const { payment_request } = await app.client.post(`/v1/wallet/${later.id}/invoice`, { num_satoshis: 5 });
    await app.net.outside.pay({ paymentRequest: payment_request });
    await vi.waitFor(async () => expect((await app.client.get(`/v1/wallet/${later.id}`)).balance).toBe(5), WAIT);
    const key = `waka_${walletOf(file, SECOND).adminkey}`;
    const { body } = await app.client.request('GET', `/v1/wallet/${key}`, { key });
    expect(body.balance_msat + body.pending_msat).toBe(openingMsat);
    expect(await app.suspenseMsat()).toBe(0);
    expect(await app.problems()).toEqual([]);
  });
});
