import { beforeAll, expect, it, vi } from 'vitest';
import { msat } from '../../../src/core/kernel/money.ts';
import { openAlbyhub } from '../../../src/features/import/albyhub/albyhub.ts';
import type { ImportSource } from '../../../src/features/import/source.ts';
import { onFakeNode } from '../../support/app.ts';
import { collect } from '../collect.ts';
import { importInto } from '../run.ts';
import { HUB_BALANCES, HUB_COPIES } from './database.ts';

/** Ids of apps of the fixture. */
const [BOB, SLOW] = [3, 7];
const WAIT = { timeout: 150_000, interval: 50 };

onFakeNode('an import from Alby Hub', (app, dialect) => {
  const { client, net, rows, problems } = app;
  let open: () => Promise<ImportSource>;
  let accountId: string;
  let succeeding: string;
  let failing: string;

  /** Pays an invoice that its receiver holds, as the hub does: without an id of this service. */
  async function hubPayment() {
    const held = net.outside.invoice({ amountMsat: 2_000_000, hold: true });
    const order = { paymentId: `of the hub ${held.paymentHash}`, amountMsat: msat(2_000_000), feeLimitMsat: msat(20_000), marker: '00' };
    await net.connect().pay({ ...held, ...order });
    return held;
  }

  beforeAll(async () => {
    net.addFunds(10_000_000_000);
    const [first, second] = [await hubPayment(), await hubPayment()];
    [succeeding, failing] = [first.paymentHash, second.paymentHash];
    const url = await HUB_COPIES[dialect](
      `UPDATE transactions SET payment_hash = '${first.paymentHash}', payment_request = '${first.paymentRequest}' WHERE id = 39`,
      // Another one of the same app, which has 9,000,000 msat.
      `INSERT INTO transactions (id, app_id, type, state, amount_msat, fee_msat, fee_reserve_msat, payment_hash, payment_request, description, created_at,
         self_payment) SELECT 100, app_id, type, state, amount_msat, fee_msat, fee_reserve_msat, '${second.paymentHash}', '${second.paymentRequest}',
         'stays pending, too', created_at, self_payment FROM transactions WHERE id = 39`,
    );
    open = () => openAlbyhub(url);
    accountId = String((await rows('SELECT id FROM account'))[0]?.id);
  });

  /** Returns the balance of the wallet of an app and what pending payments hold of it, in msat. */
  async function balanceOf(app: number): Promise<readonly [balance: number, held: number]> {
    const [item] = await rows("SELECT made FROM import_item WHERE kind = 'wallet' AND source_id = $1", String(app));
    const { balance_msat, pending_msat } = await client.get(`/v1/wallet/${item?.made}`);
    return [balance_msat, pending_msat];
  }

  it('M1: gives each isolated app the balance that the query of Alby Hub returned', async () => {
    const result = await importInto(app, open, { accountId });
    expect([result.problems, result.written.flatMap(({ warnings }) => warnings)]).toEqual([[], []]);
    // The second pending payment is not in the fixture.
    for (const { id, balance_msat } of HUB_BALANCES)
      expect([id, (await balanceOf(id))[0]]).toEqual([id, id === SLOW ? balance_msat - 2_020_000 : balance_msat]);
    expect(await rows("SELECT user_label FROM wallet WHERE status = 'inactive'")).toEqual([{ user_label: 'Donation box' }]);
    expect(await problems()).toEqual([]);
  });

  it('M2: credits an invoice that was open in the hub once, to its app', async () => {
    const source = await open();
    const invoices = (await collect(source.history())).filter(({ memo }) => memo === 'open invoice');
    await source.close();
    const [{ preimage = '', paymentRequest = '' } = {}] = invoices;
    const [before] = await balanceOf(BOB);
    // The node has the invoice, because the hub has created it there.
    const node = net.connect();
    await node.createInvoice({ preimage, amountMsat: msat(1_234_000), description: 'open invoice', expirySeconds: 3600 });
    await node.close();
    await net.outside.pay({ paymentRequest });
    await vi.waitFor(async () => expect(await balanceOf(BOB)).toEqual([before + 1_234_000, 0]), WAIT);
    expect(await app.suspenseMsat()).toBe(0);
  });

  it('M2: charges once what was in flight and succeeds, and releases what fails', async () => {
    expect(await balanceOf(SLOW)).toEqual([9_000_000 - 4_040_000, 4_040_000]);
    net.outside.resolveHold(succeeding, 'settle');
    net.outside.resolveHold(failing, 'cancel');
    // Until then the node may execute a request that the hub has sent.
    await app.time.advance(600_000);
    for (let start = 0; start < 2; start++) {
      await app.restart();
      await vi.waitFor(async () => {
        const [payment] = await rows("SELECT fee_msat FROM payment WHERE state = 'succeeded'");
        expect(await balanceOf(SLOW)).toEqual([9_000_000 - 2_000_000 - Number(payment?.fee_msat), 0]);
      }, WAIT);
    }
    expect(await rows('SELECT state FROM payment ORDER BY state')).toEqual([{ state: 'failed' }, { state: 'succeeded' }]);
    expect(await problems()).toEqual([]);
  });

  it('changes nothing when it is repeated', async () => {
    const state = () =>
      rows(
        `SELECT (SELECT count(*) FROM wallet) AS wallets, (SELECT count(*) FROM imported_transaction) AS history,
           (SELECT count(*) FROM ledger_transfer) AS transfers, (SELECT count(*) FROM invoice) AS invoices, (SELECT count(*) FROM payment) AS payments`,
      );
    const before = await state();
    expect(before[0]).toMatchObject({ wallets: 8, history: 29, payments: 2 });
    expect((await importInto(app, open, { accountId })).problems).toEqual([]);
    expect(await state()).toEqual(before);
  });
});
