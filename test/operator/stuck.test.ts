import { expect, it } from 'vitest';
import { MEASURES_AT_ONCE, onFakeNode } from '../support/app.ts';
import type { TestWallet } from '../support/client.ts';

/** LND and Core Lightning can report a payment as in flight for ever, without an HTLC, when they stopped at the wrong moment. */
onFakeNode(
  'a payment that the node never ends',
  (service) => {
    const { net } = service;
    const resolve = (subject: string) => service.act({ kind: 'resolve', subject, target: 'failed' });
    const balance = async ({ id }: TestWallet) => {
      const { balance_msat, pending_msat } = await service.client.get(`/v1/wallet/${id}`);
      return { balance_msat, pending_msat };
    };
    const transaction = (id: string) => service.client.get(`/v1/lntx/${id}`);

    async function pay(script: { stuck?: true; hold?: true }): Promise<{ payer: TestWallet; id: string; paymentHash: string }> {
      const payer = await service.client.wallet(1_000);
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 500_000, script: { ...script, fee: 0 } });
      const json = { payment_request: paymentRequest, fee_limit_msat: 10_000 };
      const headers = { prefer: 'respond-async' };
      const { status, body } = await service.client.request('POST', `/v1/wallet/${payer.id}/withdraw`, { key: payer.admin, json, headers });
      expect(status).toBe(202);
      await expect.poll(() => net.state().outgoing[body.lnTx.id]?.outcome.state).toBe('pending');
      return { payer, id: body.lnTx.id, paymentHash };
    }

    it('raises an alert with the evidence from the node, and its money stays reserved', async () => {
      const { payer, id } = await pay({ stuck: true });
      await service.reconcile();
      const alert = (await service.openAlerts()).find(({ subject }) => subject === id);
      expect(alert).toMatchObject({
        kind: 'payment_stuck',
        message: expect.stringContaining('True: No channel has an HTLC with this payment hash (0 HTLCs).'),
      });
      expect(alert?.message).toContain('No money can leave the node for this payment.');
      expect(await balance(payer)).toEqual({ balance_msat: 490_000, pending_msat: 510_000 });
      expect(await resolve(id)).toMatchObject({ state: 'done' });
    });

    it('P6: is failed by the operator when the evidence, checked again, proves it; the wallet gets its money back once', async () => {
      const { payer, id } = await pay({ stuck: true });
      const done = await resolve(id);
      expect(done).toMatchObject({ state: 'done', evidence: expect.stringContaining('No channel has an HTLC') });
      expect(await resolve(id)).toEqual(done);
      expect(await transaction(id)).toMatchObject({ status: 'failed' });
      expect(await balance(payer)).toEqual({ balance_msat: 1_000_000, pending_msat: 0 });
      // The node goes on reporting it as pending, which is no contradiction.
      for (let i = 0; i < 2; i++) await service.reconcile();
      expect((await service.openAlerts()).filter(({ subject }) => subject === id)).toEqual([]);
      expect(await service.problems()).toEqual([]);
    });

    it('P6: is not failed while an HTLC may still take the money, or while the node does not answer', async () => {
      const { payer, id, paymentHash } = await pay({ hold: true });
      expect(await resolve(id)).toMatchObject({ state: 'refused', answer: expect.stringContaining('do not prove a failure') });
      for (const fault of [{ unavailable: true }, { lose: 'answer' }] as const) {
        net.always('collectEvidence', fault);
        expect(await resolve(id)).toMatchObject({ state: 'refused', answer: expect.stringContaining('did not answer') });
      }
      net.always('collectEvidence', undefined);
      expect(await balance(payer)).toEqual({ balance_msat: 490_000, pending_msat: 510_000 });
      net.outside.resolveHold(paymentHash, 'settle');
      await expect.poll(async () => (await transaction(id)).status).toBe('settled');
      expect(await balance(payer)).toEqual({ balance_msat: 500_000, pending_msat: 0 });
      expect(await service.problems()).toEqual([]);
    });

    it('S7: is charged once if it settles after all, although the evidence had proved its failure', async () => {
      const { payer, id, paymentHash } = await pay({ hold: true });
      const items = [{ fact: 'No channel has an HTLC with this payment hash.', holds: true, detail: '0 HTLCs' }];
      net.always('collectEvidence', { instead: { items, provesFailure: true } });
      expect(await resolve(id)).toMatchObject({ state: 'done' });
      net.always('collectEvidence', undefined);
      expect(await balance(payer)).toEqual({ balance_msat: 1_000_000, pending_msat: 0 });
      await service.reconcile();
      net.outside.resolveHold(paymentHash, 'settle');
      await expect.poll(() => balance(payer)).toEqual({ balance_msat: 500_000, pending_msat: 0 });
      await service.reconcile();
      expect(await transaction(id)).toMatchObject({ status: 'settled' });
      expect(await balance(payer)).toEqual({ balance_msat: 500_000, pending_msat: 0 });
      expect(await service.problems()).toEqual([]);
    });
  },
  { STUCK_PAYMENT_SECONDS: '0' },
  MEASURES_AT_ONCE,
);
