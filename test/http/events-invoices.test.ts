import { expect, it, vi } from 'vitest';
import { openDatabase } from '../../src/core/db/open.ts';
import { statement } from '../../src/core/db/statement.ts';
import { onFakeNode } from '../support/app.ts';
import type { Client, Json, TestWallet } from '../support/client.ts';
import { eventsAbout, eventsOf, eventsOfWallet, namesOfWallet } from '../support/events.ts';
import { silentLog } from '../support/ledger.ts';

const SOON = { expiryMs: 20 };
const SET_EXPIRY = 'UPDATE invoice SET expires_at = $1 WHERE id = $2';

function invoice(client: Client, wallet: TestWallet, fields: object = {}): Promise<Json> {
  return client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 10, memo: 'tea', ...fields });
}

const untilNames = (client: Client, wallet: TestWallet, names: readonly string[]) =>
  vi.waitFor(async () => expect(await namesOfWallet(client, wallet)).toEqual(names), { timeout: 150_000, interval: 20 });

onFakeNode(
  'the events of an invoice',
  (service) => {
    const { client, net } = service;
    /** As if the invoice had been created two days ago. */
    const expire = (id: string) =>
      service.execute(
        'UPDATE invoice SET created_at = $2 - 100, expires_at = $2 WHERE id = $1',
        id,
        Math.floor(Date.now() / 1000) - 86_400,
      );
    /** Waits until an invoice that has expired after all others is reported. */
    const untilReported = async () => {
      const wallet = await client.wallet();
      const { id } = await invoice(client, wallet);
      await expire(id);
      await untilNames(client, wallet, ['invoice_created', 'invoice_expired']);
    };

    it('are its creation, as it was then, and the receipt', async () => {
      const wallet = await client.wallet();
      const made = await invoice(client, wallet, { passThru: { order: 7 } });
      await net.outside.pay({ paymentRequest: made.payment_request });
      await untilNames(client, wallet, ['invoice_created', 'wallet_receive']);
      const [created] = await eventsAbout(client, wallet, made.id);
      expect(created.event).toEqual({ type: 'wallet', name: 'invoice_created', display_name: 'Invoice Created' });
      // Only the response has what depends on the node at the moment.
      const { status_url: _, page_url: __, receivable_msat: ___, ...shown } = made;
      expect(created.data.lnTx).toEqual(shown);
      expect(created.data.lnTx).toMatchObject({ status: 'open', settled: 0, payment_preimage: null, passThru: { order: 7 } });
      expect(created.data.wal.id).toBe(wallet.id);
    });

    it('are one creation for requests with the same Idempotency-Key, and none for a rejected request', async () => {
      const wallet = await client.wallet();
      const create = (json: object) =>
        client.request('POST', `/v1/wallet/${wallet.id}/invoice`, { key: wallet.invoice, json, headers: { 'idempotency-key': 'one' } });
      await Promise.all([create({ num_satoshis: 1 }), create({ num_satoshis: 1 })]);
      await create({ num_satoshis: 1 });
      expect((await create({ num_satoshis: 2 })).status).toBe(422);
      expect((await client.request('POST', `/v1/wallet/${wallet.id}/invoice`, { key: wallet.read, json: {} })).status).toBe(403);
      net.next('createInvoice', { unavailable: true });
      expect((await client.request('POST', `/v1/wallet/${wallet.id}/invoice`, { key: wallet.invoice, json: {} })).status).toBe(503);
      expect(await namesOfWallet(client, wallet)).toEqual(['invoice_created']);
    });

    it('include those of invoices that the payers of a pay link request, but a keysend has only its receipt', async () => {
      const wallet = await client.wallet();
      const { default_lnurlpay_id: id } = await client.get(`/v1/wallet/${wallet.id}`);
      const { pr } = (await client.request('GET', `/v1/wallet/${wallet.lnurlPay}/lnurlp/${id}?amount=5000`)).body;
      await untilNames(client, wallet, ['invoice_created']);
      const [created] = (await eventsOfWallet(client, wallet)).slice(1);
      expect(created.data.lnTx).toMatchObject({ payment_request: pr, num_satoshis: 5 });
      await net.outside.keysend({ amountMsat: 3_000, customRecords: { 696969: Buffer.from(wallet.id).toString('hex') } });
      await untilNames(client, wallet, ['invoice_created', 'wallet_receive']);
    });

    it('have one cancellation, also if it is repeated', async () => {
      const wallet = await client.wallet();
      const made = await invoice(client, wallet);
      const cancel = () => client.request('DELETE', `/v1/lntx/${made.id}`, { key: client.secretKey });
      expect((await Promise.all([cancel(), cancel()])).map(({ status }) => status)).toEqual([200, 200]);
      await cancel();
      await expire(made.id);
      await untilReported();
      expect(await namesOfWallet(client, wallet)).toEqual(['invoice_created', 'invoice_cancelled']);
      const [created, cancelled] = await eventsAbout(client, wallet, made.id);
      expect(created.data.lnTx.status).toBe('open');
      expect(cancelled.event).toEqual({ type: 'wallet', name: 'invoice_cancelled', display_name: 'Invoice Cancelled' });
      expect(cancelled.data.lnTx).toMatchObject({ id: made.id, status: 'cancelled', payment_preimage: null });
    });

    it('have no cancellation of an invoice that was paid', async () => {
      const [payee, payer] = [await client.wallet(), await client.wallet(100)];
      const made = await invoice(client, payee);
      await client.post(`/v1/wallet/${payer.id}/withdraw`, { payment_request: made.payment_request });
      expect((await client.request('DELETE', `/v1/lntx/${made.id}`, { key: client.secretKey })).status).toBe(400);
      expect(await namesOfWallet(client, payee)).toEqual(['invoice_created', 'wallet_receive']);
    });

    it('have one expiry within seconds, which a late payment follows', async () => {
      const wallet = await client.wallet();
      const made = await invoice(client, wallet);
      await expire(made.id);
      await untilNames(client, wallet, ['invoice_created', 'invoice_expired']);
      const [created, expired] = await eventsAbout(client, wallet, made.id);
      expect(expired.event).toEqual({ type: 'wallet', name: 'invoice_expired', display_name: 'Invoice Expired' });
      expect(expired.data.lnTx).toMatchObject({ id: made.id, status: 'expired', settled: 0, payment_preimage: null });
      expect(created.data.lnTx.status).not.toBe('settled');
      const [{ preimage } = {}] = await service.rows('SELECT preimage FROM invoice WHERE id = $1', made.id);
      const settlement = { paymentHash: made.r_hash_decoded, preimage, amountMsat: 10_000, settledAt: Math.floor(Date.now() / 1000) };
      for (let i = 0; i < 2; i++) net.tell({ type: 'settlement', ...settlement, keysend: false, customRecords: {} } as never);
      await untilNames(client, wallet, ['invoice_created', 'invoice_expired', 'wallet_receive']);
      expect((await eventsAbout(client, wallet, made.id))[1].data.lnTx).toEqual(expired.data.lnTx);
      expect(await service.problems()).toEqual([]);
    });

    it('have no expiry of an invoice that was paid or is being paid; one that is open again expires', async () => {
      const [payee, payer] = [await client.wallet(), await client.wallet(1000)];
      const [paid, closing] = [await invoice(client, payee), await invoice(client, payee)];
      await net.outside.pay({ paymentRequest: paid.payment_request });
      await untilNames(client, payee, ['invoice_created', 'invoice_created', 'wallet_receive']);
      net.always('cancelInvoice', { unavailable: true });
      const pay = { key: payer.admin, json: { payment_request: closing.payment_request }, headers: { prefer: 'respond-async' } };
      const held = await client.request('POST', `/v1/wallet/${payer.id}/withdraw`, pay);
      expect(held.status).toBe(202);
      await expire(paid.id);
      await expire(closing.id);
      await untilReported();
      expect(await namesOfWallet(client, payee)).toEqual(['invoice_created', 'invoice_created', 'wallet_receive']);
      // An outside payer was first, and then did not pay: the internal payment fails.
      net.always('cancelInvoice', { instead: 'accepted' });
      expect(await service.act({ kind: 'resolve', subject: held.body.lnTx.id, target: 'failed' })).toMatchObject({ state: 'done' });
      net.always('cancelInvoice', undefined);
      await untilNames(client, payee, ['invoice_created', 'invoice_created', 'wallet_receive', 'invoice_expired']);
      expect(await service.problems()).toEqual([]);
    });

    it('have one expiry of each invoice after downtime, with many at once, whatever the clock then shows', async () => {
      const wallets = [await client.wallet(), await client.wallet()];
      const made: Json[] = [];
      for (let i = 0; i < 25; i++) made.push(...(await Promise.all(wallets.map((wallet) => invoice(client, wallet)))));
      await service.restart(async () => {
        const database = await openDatabase(service.databaseUrl, { log: silentLog });
        for (const { id } of made)
          await database.transaction((tx) => tx.run(statement('test_set_expiry', SET_EXPIRY), Math.floor(Date.now() / 1000) - 1, id));
        await database.close();
      });
      const expiredIds = async () =>
        (await eventsOf(client, '/v1/events?type=invoice_expired'))
          .map(({ data }) => data.lnTx.id)
          .filter((id) => made.some((one) => one.id === id));
      await vi.waitFor(async () => expect((await expiredIds()).toSorted()).toEqual(made.map(({ id }) => id).toSorted()), {
        timeout: 150_000,
      });
      await service.restart();
      // As if the clock had been set back and had passed the expiry again.
      for (const { id } of made) await service.execute(SET_EXPIRY, 1_700_000_000, id);
      await untilReported();
      expect(await expiredIds()).toHaveLength(made.length);
    });
  },
  { PAYMENT_WAIT_SECONDS: '1' },
  SOON,
);
