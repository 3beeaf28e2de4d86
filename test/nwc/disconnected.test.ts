import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { startRelay } from '../../devnet/relay.ts';
import { METHODS, type NwcMethod, ruleOf } from '../../src/features/nwc/methods.ts';
import { TIMING } from '../hold-invoices/harness.ts';
import { onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { connectApp, payHoldInvoice } from '../support/nwc.ts';
import { codeOf, QUICK } from './timing.ts';

const relay = await startRelay();
afterAll(() => relay.stop());

/** These get no notifications, for which the service would read the key, too. */
const PERMISSIONS = ['wallet_deposit', 'wallet_withdraw'];

onFakeNode(
  'an app that is disconnected while its request runs',
  (service) => {
    const { client, net, execute, rows, problems } = service;
    let wallet: TestWallet;
    let pubkey: string;

    beforeAll(async () => {
      wallet = await client.wallet(1000);
      pubkey = (await client.get('/playground')).nodes.find(({ name }: Json) => name === 'alice').pubkey;
    });
    afterEach(() => {
      service.delaysAfter = undefined;
      service.statements = undefined;
    });

    const invoice = () => net.outside.invoice({ amountMsat: 1000, memo: 'fee=0' }).paymentRequest;
    /** Returns a hold invoice that the service has marked as held, so that it only changes by a request. */
    async function held() {
      const hold = await payHoldInvoice(service, wallet.id);
      await expect.poll(hold.status).toBe('held');
      return hold;
    }
    /** Parameters of each stored method, with which it succeeds. */
    const PARAMETERS: Readonly<Partial<Record<NwcMethod, () => object | Promise<object>>>> = {
      make_invoice: () => ({ amount: 1000 }),
      receive: () => ({ amount: 1000 }),
      pay_invoice: () => ({ invoice: invoice() }),
      pay: () => ({ payment: invoice() }),
      pay_keysend: () => ({ amount: 1000, pubkey }),
      make_hold_invoice: () => ({ amount: 1000, payment_hash: randomBytes(32).toString('hex') }),
      settle_hold_invoice: async () => ({ preimage: (await held()).preimage }),
      cancel_hold_invoice: async () => ({ payment_hash: (await held()).paymentHash }),
      multi_pay_invoice: () => ({ invoices: [{ invoice: invoice() }] }),
      multi_pay_keysend: () => ({ keysends: [{ amount: 1000, pubkey }] }),
    };

    it('A3: changes nothing by any method', async () => {
      const methods = (Object.keys(METHODS) as NwcMethod[]).filter((method) => ruleOf(method).isStored);
      expect(Object.keys(PARAMETERS).toSorted()).toEqual(methods.toSorted());
      const state = async () => {
        const { balance_msat, pending_msat } = await client.get(`/v1/wallet/${wallet.id}`);
        const invoices = await rows('SELECT id, state, decision FROM invoice WHERE wallet_id = $1 ORDER BY id', wallet.id);
        const payers = net.outside.payments().map(({ state: payer }) => payer);
        return { balance_msat, pending_msat, invoices, payers };
      };
      /** Sends a request whose key is revoked right after the service has read it. Returns whether that was before its transaction. */
      async function isRevokedWhileRunning(method: NwcMethod): Promise<boolean> {
        const app = await connectApp(client, wallet.id, { permissions: PERMISSIONS });
        const params = await PARAMETERS[method]?.();
        const before = await state();
        const statements: string[] = [];
        let ending: Promise<void> | undefined;
        service.statements = statements;
        service.delaysAfter = (name) => {
          if (name !== 'access_key_find_valid_by_id' || !statements.includes('nwc_request_find')) return undefined;
          ending ??= execute('UPDATE access_key SET revoked_at = 1 WHERE id = (SELECT key_id FROM nwc_connection WHERE id = $1)', app.id);
          return ending;
        };
        const code = await codeOf(app, method, params);
        service.delaysAfter = undefined;
        service.statements = undefined;
        expect({ method, code, ...(await state()) }).toEqual({ method, code: 'UNAUTHORIZED', ...before });
        app.close();
        return statements.includes('access_key_valid');
      }
      for (const method of methods) {
        // A background job may have read a key before the request did.
        let tries = 1;
        while (!(await isRevokedWhileRunning(method))) expect(tries++).toBeLessThan(20);
      }
      expect(await problems()).toEqual([]);
    });
  },
  { PAYMENT_WAIT_SECONDS: '1', NWC_RELAYS: relay.url },
  { ...TIMING, ...QUICK },
);
