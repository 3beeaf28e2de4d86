import { expect, it } from 'vitest';
import { msat } from '../../src/core/kernel/money.ts';
import { MEASURES_AT_ONCE, onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';

onFakeNode(
  'a payment that an operator ends',
  (service) => {
    const { net } = service;
    const request = (subject: string, target: 'settled' | 'failed', preimage?: string) =>
      service.act({ kind: 'resolve', subject, target, preimage });
    const wallet = async (id: string) => service.client.get(`/v1/wallet/${id}`);

    async function held({ fee = 0 } = {}): Promise<{ payer: TestWallet; id: string; paymentHash: string; preimage: string }> {
      const payer = await service.client.wallet(1_000);
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 500_000, script: { hold: true, fee } });
      const { preimage = '' } = net.state().outsideInvoices[paymentHash] ?? {};
      const json = { payment_request: paymentRequest };
      const answer = await service.client.request('POST', `/v1/wallet/${payer.id}/withdraw`, {
        key: payer.admin,
        json,
        headers: { prefer: 'respond-async' },
      });
      expect(answer.status).toBe(202);
      await expect.poll(() => net.state().outgoing[answer.body.lnTx.id]?.outcome.state).toBe('pending');
      return { payer, id: answer.body.lnTx.id, paymentHash, preimage };
    }

    it('P6: is not settled with the preimage while the node reports it as pending, because the receiver can still cancel', async () => {
      const { payer, id, preimage, paymentHash } = await held();
      expect(await request(id, 'settled', 'ab'.repeat(32))).toMatchObject({
        state: 'refused',
        answer: expect.stringContaining('not that of the payment'),
      });
      expect(await request(id, 'settled', preimage)).toMatchObject({
        state: 'refused',
        answer: expect.stringContaining('Wait until the node reports an outcome'),
      });
      expect(await wallet(payer.id)).toMatchObject({ balance: 475, pending_msat: 525_000 });
      net.outside.resolveHold(paymentHash, 'cancel');
      await expect.poll(async () => (await service.client.get(`/v1/lntx/${id}`)).status).toBe('failed');
      expect(await wallet(payer.id)).toMatchObject({ balance: 1_000, pending_msat: 0 });
      expect(await service.problems()).toEqual([]);
    });

    it('is settled with the preimage and the fee of the node when the node reports success, once', async () => {
      const { payer, id, paymentHash, preimage } = await held({ fee: 2_000 });
      // The node knows the outcome, and its event has not arrived.
      net.always('lookupPayment', { instead: { state: 'succeeded', preimage, feeMsat: msat(2_000) } });
      const done = await request(id, 'settled', preimage);
      expect(done).toMatchObject({ state: 'done', evidence: 'the node reports: succeeded' });
      net.always('lookupPayment', undefined);
      expect(await request(id, 'settled', preimage)).toEqual(done);
      expect(await request(id, 'failed')).toMatchObject({ state: 'refused', answer: expect.stringContaining('ended already') });
      expect(await wallet(payer.id)).toMatchObject({ balance: 498, pending_msat: 0 });
      net.outside.resolveHold(paymentHash, 'settle');
      await service.restart();
      expect(await service.client.get(`/v1/lntx/${id}`)).toMatchObject({ status: 'settled', payment_preimage: preimage, fee_msat: 2_000 });
      expect((await service.openAlerts()).filter(({ subject }) => subject === id)).toEqual([]);
      expect(await service.problems()).toEqual([]);
      const changed = await service.problemsAfter(`UPDATE operator_action SET target = 'failed' WHERE id = $1`, done.id);
      expect(changed).toEqual([`${done.id}: the payment differs from the operator’s action`]);
    });

    it('P6: is failed only when the node reports a definitive failure at that time', async () => {
      const { payer, id, paymentHash } = await held();
      for (const [fault, answer] of [
        [undefined, 'do not prove a failure'],
        [{ unavailable: true }, 'did not answer'],
        [{ lose: 'answer' }, 'did not answer'],
        [{ instead: null }, 'did not answer'],
        [{ instead: { state: 'lost' } }, 'did not answer'],
        [{ instead: undefined }, 'no record of the payment'],
        [{ instead: { state: 'succeeded', preimage: '', feeMsat: 0 } }, 'the payment succeeded'],
      ] as const) {
        net.always('lookupPayment', fault);
        expect(await request(id, 'failed')).toMatchObject({ state: 'refused', answer: expect.stringContaining(answer) });
      }
      net.always('lookupPayment', undefined);
      for (const instead of [null, {}, { items: [], provesFailure: 'yes' }]) {
        net.always('collectEvidence', { instead });
        expect(await request(id, 'failed')).toMatchObject({ state: 'refused', answer: expect.stringContaining('did not answer') });
      }
      net.always('collectEvidence', undefined);
      expect(await wallet(payer.id)).toMatchObject({ balance: 475, pending_msat: 525_000 });
      net.always('lookupPayment', { instead: { state: 'failed', reason: 'NO_ROUTE' } });
      expect(await request(id, 'failed')).toMatchObject({ state: 'done', evidence: 'the node reports: failed (NO_ROUTE)' });
      net.always('lookupPayment', undefined);
      expect(await wallet(payer.id)).toMatchObject({ balance: 1_000, pending_msat: 0 });
      net.outside.resolveHold(paymentHash, 'cancel');
      expect(await service.problems()).toEqual([]);
    });

    it('P6: is failed without a record at the node only if the node has never confirmed one and its records prove the failure', async () => {
      const { id: known, paymentHash } = await held();
      const payer = await service.client.wallet(1_000);
      const { paymentRequest } = net.outside.invoice({ amountMsat: 500_000 });
      net.always('pay', { lose: 'call' });
      const answer = await service.client.request('POST', `/v1/wallet/${payer.id}/withdraw`, {
        key: payer.admin,
        json: { payment_request: paymentRequest },
        headers: { prefer: 'respond-async' },
      });
      const { id } = answer.body.lnTx;
      const facts = [{ fact: 'No request to send the payment can still be executed.', holds: false, detail: '' }];
      net.always('lookupPayment', { instead: undefined });
      net.always('collectEvidence', { instead: { items: facts, provesFailure: false, isWithoutHtlc: false } });
      const refused: Json = await request(id, 'failed');
      expect(refused).toMatchObject({ state: 'refused', answer: expect.stringContaining('Not true: No request to send the payment can') });
      expect(refused.answer).not.toContain('in flight');
      expect(await wallet(payer.id)).toMatchObject({ pending_msat: 525_000 });
      const proof = { instead: { items: [{ ...facts[0], holds: true }], provesFailure: true, isWithoutHtlc: false } };
      net.always('collectEvidence', proof);
      expect(await request(known, 'failed')).toMatchObject({ state: 'refused', answer: expect.stringContaining('a restored node') });
      expect(await request(id, 'failed')).toMatchObject({
        state: 'done',
        evidence: expect.stringContaining('the node reports: no record'),
      });
      for (const call of ['pay', 'lookupPayment', 'collectEvidence'] as const) net.always(call, undefined);
      net.outside.resolveHold(paymentHash, 'cancel');
      expect(await wallet(payer.id)).toMatchObject({ balance: 1_000, pending_msat: 0 });
      expect(await service.problems()).toEqual([]);
    });

    it('P6: is not settled with the preimage when the response of the node is not understood', async () => {
      const { payer, id, preimage, paymentHash } = await held();
      for (const instead of [null, { state: 'lost' }]) {
        net.always('lookupPayment', { instead });
        expect(await request(id, 'settled', preimage)).toMatchObject({
          state: 'refused',
          answer: expect.stringContaining('did not answer'),
        });
      }
      net.always('lookupPayment', undefined);
      expect(await wallet(payer.id)).toMatchObject({ balance: 475, pending_msat: 525_000 });
      net.outside.resolveHold(paymentHash, 'cancel');
      await expect.poll(async () => (await service.client.get(`/v1/lntx/${id}`)).status).toBe('failed');
    });

    it('P6: is settled with the preimage when a restored node has no record of it', async () => {
      const before = net.backup();
      const { payer, id, preimage } = await held();
      net.restore(before);
      await expect.poll(async () => (await request(id, 'failed')).answer).toContain('no record of the payment');
      expect(await request(id, 'settled', preimage)).toMatchObject({ state: 'done', evidence: expect.stringContaining('no record') });
      expect(await wallet(payer.id)).toMatchObject({ balance: 500, pending_msat: 0 });
      expect(await service.problems()).toEqual([]);
    });

    it('P6: is not ended by a preimage that the node contradicts, and its alert stays open', async () => {
      const { payer, id, preimage, paymentHash } = await held();
      net.always('lookupPayment', { instead: { state: 'failed', reason: 'TIMEOUT' } });
      await service.reconcile();
      expect(await request(id, 'settled', preimage)).toMatchObject({
        state: 'refused',
        answer: expect.stringMatching(/failed \(TIMEOUT\).*contradict/),
      });
      await service.reconcile();
      expect((await service.openAlerts()).filter(({ subject }) => subject === id)).toMatchObject([{ kind: 'payment_stuck' }]);
      net.always('lookupPayment', undefined);
      expect(await wallet(payer.id)).toMatchObject({ balance: 475, pending_msat: 525_000 });
      net.outside.resolveHold(paymentHash, 'cancel');
      await expect.poll(async () => (await service.client.get(`/v1/lntx/${id}`)).status).toBe('failed');
      expect(await service.problems()).toEqual([]);
    });

    it('P6: is not settled with the preimage of a keysend, which this service generated, unless the node reports success', async () => {
      const payer = await service.client.wallet(1_000);
      net.nextPayment({ hold: true, fee: 0 });
      const { nodes }: Json = await service.client.get('/playground');
      const json = { dest_pubkey: nodes.find(({ name }: Json) => name === 'alice').pubkey, num_satoshis: 500 };
      const headers = { prefer: 'respond-async' };
      const started = await service.client.request('POST', `/v1/wallet/${payer.id}/keysend`, { key: payer.admin, json, headers });
      expect(started.status).toBe(202);
      const { id } = started.body.lnTx;
      await expect.poll(() => net.state().outgoing[id]?.outcome.state).toBe('pending');
      const [row] = await service.rows('SELECT preimage, payment_hash FROM payment WHERE id = $1', id);
      const { preimage, payment_hash: paymentHash } = row as { preimage: string; payment_hash: string };
      for (const instead of [undefined, { state: 'pending' }, { state: 'failed', reason: 'TIMEOUT' }] as const) {
        net.always('lookupPayment', { instead });
        expect(await request(id, 'settled', preimage)).toMatchObject({ state: 'refused', answer: expect.stringContaining('keysend') });
      }
      expect(await wallet(payer.id)).toMatchObject({ balance: 475, pending_msat: 525_000 });
      net.always('lookupPayment', { instead: { state: 'succeeded', preimage, feeMsat: msat(0) } });
      expect(await request(id, 'settled', preimage)).toMatchObject({ state: 'done', evidence: 'the node reports: succeeded' });
      net.always('lookupPayment', undefined);
      net.outside.resolveHold(paymentHash, 'settle');
      expect(await wallet(payer.id)).toMatchObject({ balance: 500, pending_msat: 0 });
      expect(await service.problems()).toEqual([]);
    });

    it('ends an internal payment by cancelling the invoice at the node again', async () => {
      const [payee, payer] = [await service.client.wallet(), await service.client.wallet(500)];
      const made: Json = await service.client.post(`/v1/wallet/${payee.id}/invoice`, { num_satoshis: 100 });
      net.always('cancelInvoice', { lose: 'call' });
      const json = { payment_request: made.payment_request };
      const started = await service.client.request('POST', `/v1/wallet/${payer.id}/withdraw`, {
        key: payer.admin,
        json,
        headers: { prefer: 'respond-async' },
      });
      expect(started.status).toBe(202);
      const { id } = started.body.lnTx;
      expect(await request(id, 'failed')).toMatchObject({ state: 'refused', answer: expect.stringContaining('did not confirm') });
      net.always('cancelInvoice', undefined);
      expect(await request(id, 'failed')).toMatchObject({
        state: 'refused',
        answer: expect.stringContaining(
          'with the other outcome. Its status is now `settled`: amount and fee are booked. Nothing is left to do.',
        ),
      });
      expect([(await wallet(payee.id)).balance, (await wallet(payer.id)).balance]).toEqual([100, 400]);
      expect(await service.problems()).toEqual([]);
    });

    it('is refused for a payment that does not exist', async () => {
      expect(await request('lntx_0000000000000000000000', 'failed')).toMatchObject({
        state: 'refused',
        answer: expect.stringContaining('no payment'),
      });
    });
  },
  { STUCK_PAYMENT_SECONDS: '0' },
  MEASURES_AT_ONCE,
);
