import { type Nip47Notification, NWCClient } from '@getalby/sdk/nwc';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { QUICK } from '../nwc/timing.ts';
import { onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';

const PREIMAGE = /^[0-9a-f]{64}$/;
const BUDGET = { budget_msat: 500_000, budget_period: 'month' };

onFakeNode(
  '@getalby/sdk 8.0.3',
  ({ client, net, problems, rows }) => {
    const balanceOf = async ({ id }: TestWallet): Promise<number> => (await client.get(`/v1/wallet/${id}`)).balance_msat;

    for (const scheme of ['nip44_v2', 'nip04'] as const)
      describe(`with ${scheme}`, () => {
        let wallet: TestWallet;
        let sdk: NWCClient;
        let connection: Json;

        beforeEach(() => {
          // The package prints every error.
          for (const method of ['error', 'warn'] as const) vi.spyOn(console, method).mockImplementation(() => undefined);
        });

        beforeAll(async () => {
          wallet = await client.wallet(1000);
          connection = await client.post(`/v1/wallet/${wallet.id}/connections`, { user_label: 'alby', ...BUDGET });
          sdk = new NWCClient({ nostrWalletConnectUrl: connection.uri });
          // It prefers NIP-44, and has no option for the other one.
          if (scheme === 'nip04') Object.assign(sdk, { _encryptionType: scheme });
        });

        afterAll(() => sdk.close());

        it('reads what the service offers', async () => {
          const info = await sdk.getWalletServiceInfo();
          expect(info.encryptions).toEqual(['nip44_v2', 'nip04']);
          expect(info.notifications).toEqual(['payment_received', 'payment_sent', 'hold_invoice_accepted']);
          const expected = [
            'get_balance',
            'get_budget',
            'make_invoice',
            'lookup_invoice',
            'list_transactions',
            'pay_invoice',
            'pay_keysend',
          ];
          expect(info.capabilities).toEqual(expect.arrayContaining(['get_info', ...expected, 'notifications']));
        });

        it('reads facts about the wallet, its balance and its budget', async () => {
          const info = await sdk.getInfo();
          expect(sdk.encryptionType).toBe(scheme);
          expect(info).toMatchObject({ network: 'regtest', metadata: { id: connection.id } });
          expect(info.notifications).toEqual(['payment_received', 'payment_sent', 'hold_invoice_accepted']);
          expect(await sdk.getBalance()).toEqual({ balance: 1_000_000 });
          expect(await sdk.getBudget()).toEqual({
            used_budget: 0,
            total_budget: 500_000,
            renewal_period: 'monthly',
            renews_at: expect.any(Number),
          });
        });

        it('creates an invoice, is notified of its payment, and finds and lists it', async () => {
          const notified: Nip47Notification[] = [];
          const unsubscribe = await sdk.subscribeNotifications((one) => notified.push(one), ['payment_received']);
          const made = await sdk.makeInvoice({ amount: 21_500, description: 'tea', metadata: { comment: 'hi' } });
          expect(made).toMatchObject({
            type: 'incoming',
            state: 'pending',
            amount: 21_500,
            description: 'tea',
            metadata: { comment: 'hi' },
          });
          await net.outside.pay({ paymentRequest: made.invoice });
          const settled = {
            type: 'incoming',
            state: 'settled',
            payment_hash: made.payment_hash,
            amount: 21_500,
            preimage: expect.stringMatching(PREIMAGE),
            settled_at: expect.any(Number),
          };
          // The app may also be notified of the payment that funded the wallet.
          const ofInvoice = () => notified.find(({ notification }) => notification.payment_hash === made.payment_hash);
          await expect.poll(ofInvoice).toMatchObject({ notification_type: 'payment_received', notification: settled });
          unsubscribe();
          expect(await sdk.lookupInvoice({ payment_hash: made.payment_hash })).toMatchObject(settled);
          expect(await sdk.lookupInvoice({ invoice: made.invoice })).toMatchObject(settled);
          const { transactions } = await sdk.listTransactions({ type: 'incoming', limit: 1 });
          expect(transactions).toHaveLength(1);
          expect(transactions[0]).toMatchObject(settled);
          expect(await problems()).toEqual([]);
        });

        it('pays an invoice, is notified of the payment, and finds it', async () => {
          const before = await balanceOf(wallet);
          const notified: Nip47Notification[] = [];
          const unsubscribe = await sdk.subscribeNotifications((one) => notified.push(one), ['payment_sent']);
          const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 5000, memo: 'fee=7' });
          const paid = await sdk.payInvoice({ invoice: paymentRequest });
          expect(paid).toEqual({ preimage: expect.stringMatching(PREIMAGE), fees_paid: 7 });
          const settled = {
            type: 'outgoing',
            state: 'settled',
            amount: 5000,
            fees_paid: 7,
            preimage: paid.preimage,
          };
          await expect.poll(() => notified).toHaveLength(1);
          expect(notified[0]).toMatchObject({ notification_type: 'payment_sent', notification: { ...settled, payment_hash: paymentHash } });
          unsubscribe();
          expect(await sdk.lookupInvoice({ invoice: paymentRequest })).toMatchObject(settled);
          expect(await sdk.getBudget()).toMatchObject({ used_budget: 5007 });
          const schemes = await rows('SELECT DISTINCT scheme FROM nwc_request WHERE connection_id = $1', connection.id);
          expect(schemes).toEqual([{ scheme }]);
          expect(await balanceOf(wallet)).toBe(before - 5007);
          expect(await problems()).toEqual([]);
        });

        it('pays an invoice without an amount', async () => {
          const before = await balanceOf(wallet);
          const { paymentRequest } = net.outside.invoice({ memo: 'fee=0' });
          await sdk.payInvoice({ invoice: paymentRequest, amount: 1500 });
          expect(await balanceOf(wallet)).toBe(before - 1500);
          expect(await problems()).toEqual([]);
        });

        it('sends keysends, also several at once', async () => {
          const before = await balanceOf(wallet);
          const nodes: Json[] = (await client.get('/playground')).nodes;
          const [alice, carol] = ['alice', 'carol'].map((name) => nodes.find((node) => node.name === name).pubkey);
          const sent = await sdk.payKeysend({ amount: 1000, pubkey: alice, tlv_records: [{ type: 65_537, value: 'ab' }] });
          expect(sent.preimage).toMatch(PREIMAGE);
          const { keysends } = await sdk.multiPayKeysend({
            keysends: [
              { id: 'first', amount: 1000, pubkey: alice },
              { id: 'second', amount: 2000, pubkey: carol },
            ],
          });
          expect(keysends.map(({ dTag, preimage }) => [dTag, PREIMAGE.test(preimage)]).sort()).toEqual([
            ['first', true],
            ['second', true],
          ]);
          const fees = sent.fees_paid + keysends.reduce((sum, { fees_paid }) => sum + fees_paid, 0);
          expect(await balanceOf(wallet)).toBe(before - 4000 - fees);
          expect(await problems()).toEqual([]);
        });

        it('pays several invoices at once', async () => {
          const before = await balanceOf(wallet);
          const [named, unnamed] = [1000, 2000].map((amountMsat) => net.outside.invoice({ amountMsat, memo: 'fee=0' })) as [Json, Json];
          const { invoices } = await sdk.multiPayInvoice({
            invoices: [{ id: 'named', invoice: named.paymentRequest }, { invoice: unnamed.paymentRequest }],
          });
          expect(invoices.map(({ dTag }) => dTag).sort()).toEqual(['named', unnamed.paymentHash].sort());
          expect(invoices.every(({ preimage }) => PREIMAGE.test(preimage))).toBe(true);
          expect(await balanceOf(wallet)).toBe(before - 3000);
          expect(await problems()).toEqual([]);
        });

        it('gets the codes of errors, and nothing is paid', async () => {
          const before = await balanceOf(wallet);
          const pay = (amountMsat: number, memo = '') =>
            sdk.payInvoice({ invoice: net.outside.invoice({ amountMsat, memo }).paymentRequest });
          await expect(pay(600_000)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
          await expect(pay(1000, 'fail=NO_ROUTE')).rejects.toMatchObject({ code: 'PAYMENT_FAILED' });
          await expect(sdk.lookupInvoice({ payment_hash: 'ab'.repeat(32) })).rejects.toMatchObject({ code: 'NOT_FOUND' });
          await expect(sdk.signMessage({ message: 'hi' })).rejects.toMatchObject({ code: 'NOT_IMPLEMENTED' });
          const poor = new NWCClient({ nostrWalletConnectUrl: (await client.post(`/v1/wallet/${wallet.id}/connections`, {})).uri });
          const { paymentRequest } = net.outside.invoice({ amountMsat: 50_000_000 });
          await expect(poor.payInvoice({ invoice: paymentRequest })).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
          expect(await poor.getBudget()).toEqual({});
          poor.close();
          expect(await balanceOf(wallet)).toBe(before);
          expect(await problems()).toEqual([]);
        });
      });
  },
  {},
  QUICK,
);

onFakeNode(
  '@getalby/sdk 8.0.3 and a service without NIP-04',
  ({ client }) => {
    it('use NIP-44', async () => {
      const wallet = await client.wallet(1000);
      const sdk = new NWCClient({ nostrWalletConnectUrl: (await client.post(`/v1/wallet/${wallet.id}/connections`, {})).uri });
      expect((await sdk.getWalletServiceInfo()).encryptions).toEqual(['nip44_v2']);
      expect(await sdk.getBalance()).toEqual({ balance: 1_000_000 });
      expect(sdk.encryptionType).toBe('nip44_v2');
      sdk.close();
    });
  },
  { NWC_NIP04: 'false' },
  QUICK,
);
