import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { msat } from '../../src/core/kernel/money.ts';
import type { JobTiming } from '../../src/jobs.ts';
import { type FakeNodeApp, onFakeNode } from '../support/app.ts';

const countUnbooked = async ({ rows }: FakeNodeApp) => (await rows('SELECT id FROM unbooked_event')).length;
const hasAlert = async (service: FakeNodeApp) => (await service.openAlerts()).some(({ kind }) => kind === 'event_unbooked');

/** Waits until every event of the node is booked or set aside. */
async function untilRead({ net, rows }: FakeNodeApp): Promise<void> {
  const kept = async () => (await rows('SELECT event_position AS value FROM lightning_node'))[0]?.value;
  await expect.poll(kept).toBe(Object.values(net.state().events).at(-1)?.position);
}

function tellSettlement({ net }: FakeNodeApp, seed: string, amountMsat: number): void {
  const preimage = createHash('sha256').update(seed).digest('hex');
  const paymentHash = createHash('sha256').update(preimage, 'hex').digest('hex');
  const settlement = { preimage, paymentHash, amountMsat: msat(amountMsat), settledAt: 1_700_000_000, keysend: true, customRecords: {} };
  net.tell({ type: 'settlement', ...settlement });
}

const RETRY_AT_ONCE: JobTiming = { events: { retryMs: 1, storePositionMs: 50, retryUnbookedMs: 500 } };

onFakeNode(
  'events that cannot be booked',
  (service) => {
    const { net } = service;

    it('do not stop the event reader: 260 of them are set aside with an alert, and later ones are booked', async () => {
      const wallet = await service.client.wallet();
      service.writeFailsAt = (name) => name.startsWith('invoice_insert_unmatched');
      for (let i = 0; i < 260; i++) tellSettlement(service, `unmatched ${i}`, 1_000);
      const customRecords = { '696969': Buffer.from(wallet.id).toString('hex') };
      expect(await net.outside.keysend({ amountMsat: 5_000, customRecords })).toMatchObject({ state: 'succeeded' });
      await expect.poll(async () => (await service.client.get(`/v1/wallet/${wallet.id}`)).balance_msat).toBe(5_000);
      await expect.poll(() => countUnbooked(service)).toBe(260);
      expect(await hasAlert(service)).toBe(true);
      await untilRead(service);
    });

    it('are retried at the start: each is booked once, and the alert is cleared', async () => {
      await service.restart(() => {
        service.writeFailsAt = undefined;
      });
      await expect.poll(() => countUnbooked(service)).toBe(0);
      await expect.poll(() => hasAlert(service)).toBe(false);
      expect(await service.suspenseMsat()).toBe(260_000);
      for (let i = 0; i < 260; i++) tellSettlement(service, `unmatched ${i}`, 1_000);
      await untilRead(service);
      expect(await service.suspenseMsat()).toBe(260_000);
      expect(await service.problems()).toEqual([]);
    });

    it('stay set aside, once each, while they cannot be booked', async () => {
      for (let i = 0; i < 3; i++) tellSettlement(service, 'nothing', 0);
      await untilRead(service);
      expect(await countUnbooked(service)).toBe(1);
      await service.restart();
      expect(await countUnbooked(service)).toBe(1);
      expect(await hasAlert(service)).toBe(true);
      expect(await service.problems()).toEqual([]);
    });
  },
  {},
  RETRY_AT_ONCE,
);
