import { randomBytes } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { msat } from '../../src/core/kernel/money.ts';
import { paymentHashOf } from '../../src/core/lightning/payment-hash.ts';
import { findAction } from '../../src/features/operator/actions.ts';
import { holdInvoice, TIMING } from '../hold-invoices/harness.ts';
import { onFakeNode } from '../support/app.ts';
import type { Json } from '../support/client.ts';
import { onBothDatabases, problemsOf } from '../support/ledger.ts';
import { NODE_ID } from '../support/modules.ts';
import { execute, operatorOn } from './operator-on.ts';

const newPreimage = () => randomBytes(32).toString('hex');

onFakeNode(
  'a held payment that the ledger does not know',
  (service) => {
    const { client, net } = service;
    const reason = 'a test';
    const nodeId = async (): Promise<string> => (await client.get('/v1/operator/overview')).nodes[0].id;
    const path = async () => `/v1/operator/nodes/${await nodeId()}/unknown-holds`;
    const list = async (): Promise<Json[]> => client.get(await path());
    const post = async (hash: string, action: 'settle' | 'cancel', json: Json) =>
      client.request('POST', `${await path()}/${hash}/${action}`, { key: client.secretKey, json });
    const checks = async () => {
      const all: Json[] = await client.get('/v1/operator/checks');
      return all.filter(({ text }) => text.includes('that the ledger does not know'));
    };
    const payerOf = (hash: string) => net.outside.payments().findLast(({ paymentHash }) => paymentHash === hash)?.state;

    /** Creates a hold invoice at the node without the service, as another program does, and has it paid. */
    async function foreign(description = 'swap 12') {
      const preimage = newPreimage();
      const hash = paymentHashOf(preimage);
      const order = { paymentHash: hash, amountMsat: msat(7_000), description, expirySeconds: 600 };
      const { paymentRequest } = await net.connect().createHoldInvoice(order);
      await net.outside.pay({ paymentRequest });
      return { preimage, hash, paymentRequest };
    }

    it('is listed, unlike one of a wallet, and is a warning of the checks', async () => {
      expect([await list(), await checks()]).toEqual([[], []]);
      const own = await holdInvoice(service);
      await own.pay();
      const { hash, paymentRequest, preimage } = await foreign();
      await own.until('held');
      expect(await list()).toEqual([
        {
          id: hash,
          ln_node_id: await nodeId(),
          num_msat: 7_000,
          blocks_left: 144,
          payment_request: paymentRequest,
          memo: 'swap 12',
          invoice_created_at: expect.any(Number),
        },
      ]);
      expect(await checks()).toMatchObject([{ status: 'warn', subject: 'node', text: expect.stringContaining('holds 1 payment that') }]);
      await post(hash, 'settle', { preimage, reason });
      await own.cancel();
      expect([await list(), await checks()]).toEqual([[], []]);
    });

    it('is settled with its preimage into suspense, once, and the action is recorded', async () => {
      const before = await service.suspenseMsat();
      const { hash, preimage } = await foreign();
      const settled = await post(hash.toUpperCase(), 'settle', { preimage: preimage.toUpperCase(), reason: 'ticket 12' });
      const action = { kind: 'settle_held', status: 'done', subject: hash, target: await nodeId(), reason: 'ticket 12' };
      expect(settled).toMatchObject({ status: 201, body: { ...action, answer: expect.stringContaining('has settled 7 sat') } });
      expect(JSON.stringify(settled.body)).not.toContain(preimage);
      await expect.poll(() => service.suspenseMsat()).toBe(before + 7_000);
      expect(payerOf(hash)).toBe('succeeded');
      expect(await post(hash, 'settle', { preimage, reason })).toMatchObject({ status: 409, body: { type: 'action_refused' } });
      expect(await post(hash, 'cancel', { reason })).toMatchObject({ status: 409, body: { type: 'action_refused' } });
      const [, , recorded] = await client.get('/v1/operator/actions');
      expect(recorded).toMatchObject({ ...action, id: settled.body.id, actor_id: expect.any(String) });
      const wallet = await client.wallet();
      await client.post(`/v1/operator/suspense/${hash}/credit`, { wallet_id: wallet.id, reason });
      expect((await client.get(`/v1/wallet/${wallet.id}`)).balance_msat).toBe(7_000);
      expect(await service.problems()).toEqual([]);
    });

    it('goes back to its payer when it is cancelled', async () => {
      const before = await service.suspenseMsat();
      const { hash, preimage } = await foreign();
      const cancelled = await post(hash, 'cancel', { reason });
      expect(cancelled).toMatchObject({ status: 201, body: { kind: 'cancel_held', status: 'done', subject: hash } });
      expect([payerOf(hash), await list()]).toEqual(['failed', []]);
      expect(await post(hash, 'settle', { preimage, reason })).toMatchObject({ status: 409 });
      expect(await service.suspenseMsat()).toBe(before);
      expect(await service.problems()).toEqual([]);
    });

    it('is not one about which a wallet decides, open or held, and such a request changes nothing', async () => {
      const own = await holdInvoice(service);
      const refused = { status: 409, body: { type: 'action_refused', message: expect.stringContaining(own.invoice.id) } };
      expect(await post(own.hash, 'settle', { preimage: own.preimage, reason })).toMatchObject(refused);
      await own.pay();
      expect(await post(own.hash, 'settle', { preimage: own.preimage, reason })).toMatchObject(refused);
      await own.until('held');
      expect(await post(own.hash, 'cancel', { reason })).toMatchObject(refused);
      expect((await own.read()).status).toBe('held');
      expect((await own.settle()).body).toMatchObject({ status: 'settled' });
      expect(await own.balance()).toBe(5_000);
      expect(await service.problems()).toEqual([]);
    });

    it('needs the preimage of its hash, a reason and a node of the ledger', async () => {
      const { hash, preimage } = await foreign();
      const invalid = { status: 400, body: { type: 'validation_failed' } };
      expect(await post(hash, 'settle', { preimage: newPreimage(), reason })).toMatchObject(invalid);
      expect(await post(hash, 'settle', { preimage: 'x', reason })).toMatchObject(invalid);
      expect(await post(hash, 'settle', { reason })).toMatchObject(invalid);
      expect(await post(hash, 'cancel', { reason: ' ' })).toMatchObject(invalid);
      expect(await post('ab', 'cancel', { reason })).toMatchObject(invalid);
      expect(await post(newPreimage(), 'cancel', { reason })).toMatchObject({ status: 409 });
      const other = await client.request('GET', '/v1/operator/nodes/lnd_other/unknown-holds', { key: client.secretKey });
      expect(other.status).toBe(404);
      const path = `/v1/operator/nodes/lnd_other/unknown-holds/${hash}/cancel`;
      expect(await client.request('POST', path, { key: client.secretKey, json: { reason } })).toMatchObject({ status: 404 });
      expect((await list()).map(({ id }) => id)).toEqual([hash]);
      expect(await post(hash, 'settle', { preimage, reason })).toMatchObject({ status: 201 });
    });

    it('is not settled or cancelled by a member', async () => {
      const { secret_key: key } = await client.post('/v1/accounts', {});
      const { hash } = await foreign();
      const holds = await path();
      expect(await client.request('GET', holds, { key })).toMatchObject({ status: 403 });
      expect(await client.request('POST', `${holds}/${hash}/cancel`, { key, json: { reason } })).toMatchObject({ status: 403 });
      await post(hash, 'cancel', { reason });
    });

    it('stays pending while the outcome is unknown, and is carried out when the node answers again', async () => {
      const before = await service.suspenseMsat();
      const { hash, preimage } = await foreign();
      net.always('lookupInvoice', { lose: 'answer' });
      const refused = { status: 409, body: { message: expect.stringContaining('Nothing was settled or cancelled') } };
      expect(await post(hash, 'settle', { preimage, reason })).toMatchObject(refused);
      net.always('lookupInvoice', undefined);
      net.always('settleHoldInvoice', { lose: 'answer' });
      const { status, body } = await post(hash, 'settle', { preimage, reason });
      expect([status, body.status]).toEqual([201, 'pending']);
      net.always('settleHoldInvoice', { unavailable: true });
      expect((await post(hash, 'settle', { preimage, reason })).body).toMatchObject({ id: body.id, status: 'pending' });
      net.always('settleHoldInvoice', undefined);
      await expect.poll(async () => (await client.get(`/v1/operator/actions/${body.id}`)).status, { timeout: 10_000 }).toBe('done');
      await expect.poll(() => service.suspenseMsat()).toBe(before + 7_000);
      expect(await service.problems()).toEqual([]);
    });

    it('is not listed when the node does not answer', async () => {
      net.next('listHeldPayments', { unavailable: true });
      const response = await client.request('GET', await path(), { key: client.secretKey });
      expect(response).toMatchObject({ status: 503, body: { type: 'node_unavailable' } });
    });
  },
  { PAYMENT_WAIT_SECONDS: '1' },
  TIMING,
);

onBothDatabases('an operator’s decision about an unknown held payment', (open) => {
  async function held(rig: Awaited<ReturnType<typeof operatorOn>>) {
    const preimage = newPreimage();
    const subject = paymentHashOf(preimage);
    const order = { paymentHash: subject, amountMsat: msat(7_000), description: '', expirySeconds: 600 };
    const { paymentRequest } = await rig.net.connect().createHoldInvoice(order);
    await rig.net.outside.pay({ paymentRequest });
    const payer = () => rig.net.outside.payments().findLast(({ paymentHash }) => paymentHash === subject)?.state;
    return { preimage, subject, target: NODE_ID, payer };
  }

  it('is carried out wherever the database fails in between', async () => {
    const rig = await operatorOn(await open());
    for (const kind of ['settle_held', 'cancel_held'] as const)
      for (let failing = 1; failing <= 6; failing++) {
        const { payer, ...hold } = await held(rig);
        const { id } = await rig.request({ kind, ...hold });
        rig.database.failAt({ statement: failing, fails: failing % 2 === 0 ? 'before' : 'after' });
        for (let tries = 0; tries < 3; tries++) {
          const action = await findAction(rig.healthy, id);
          if (action?.ended_at === null) await execute(rig.deps, action).catch(() => undefined);
          rig.database.failAt();
        }
        expect(await findAction(rig.healthy, id)).toMatchObject({ state: 'done' });
        expect(payer()).toBe(kind === 'settle_held' ? 'succeeded' : 'failed');
      }
    expect(await problemsOf(rig.healthy)).toEqual([]);
  });

  it('has one outcome when two instances execute the opposite decisions at the same time', async () => {
    const rig = await operatorOn(await open());
    for (let i = 0; i < 5; i++) {
      const { payer, preimage, ...hold } = await held(rig);
      const requested = [
        await rig.request({ kind: 'settle_held', ...hold, preimage }),
        await rig.request({ kind: 'cancel_held', ...hold }),
      ];
      const read = () => Promise.all(requested.map(async ({ id }) => findAction(rig.healthy, id)));
      await vi.waitUntil(
        async () => {
          const open = (await read()).flatMap((one) => (one?.ended_at === null ? [one] : []));
          await Promise.allSettled([rig.deps, rig.another()].flatMap((on) => open.map((one) => execute(on, one))));
          return open.length === 0;
        },
        { timeout: 30_000, interval: 5 },
      );
      const states = (await read()).map((one) => one?.state);
      expect(states).toEqual(payer() === 'succeeded' ? ['done', 'refused'] : ['refused', 'done']);
    }
    expect(await problemsOf(rig.healthy)).toEqual([]);
  });
});
