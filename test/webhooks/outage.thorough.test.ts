import { afterEach, expect, it, vi } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Json } from '../support/client.ts';
import { reloadModulesAfterFile } from '../support/reload-modules.ts';
import { accept, startReceiver } from './receiver.ts';
import { FAST, LOCAL } from './timing.ts';

reloadModulesAfterFile();
afterEach(() => {
  vi.useRealTimers();
});

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const jump = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });

/** Returns the ids of events by wallet, in the order in which they arrived. */
function byWallet(events: readonly Json[]): Record<string, string[]> {
  const grouped = Map.groupBy(events, ({ data }) => String(data.wtx?.wal.id));
  return Object.fromEntries(Array.from(grouped, ([wallet, own]) => [wallet, own.map(({ id }) => id)]));
}

onFakeNode(
  'an endpoint that is down',
  (service) => {
    const { client } = service;
    const receiver = startReceiver();
    const hooks: string[] = [];
    const hook = async (path: string, more = {}) => {
      const made = await client.post('/v1/webhooks', { url: receiver.url(path), ...more });
      hooks.push(made.id);
      return made.id;
    };
    const patch = (id: string, json: object) => client.request('PATCH', `/v1/webhooks/${id}`, { key: client.secretKey, json });
    const transfer = (from: string, to: string) => client.post(`/v1/wallet/${from}/transfer`, { dest_wallet_id: to, num_satoshis: 1 });
    const deliveries = (id: string, status: string) => client.list(`/v1/webhooks/${id}/deliveries?per-page=100&status=${status}`);

    afterEach(async () => {
      receiver.respond = accept;
      for (const id of hooks.splice(0)) await client.request('DELETE', `/v1/webhooks/${id}`, { key: client.secretKey });
    });

    it('W1: gets every event after two hours, in order per wallet and with the same ids, while others are not delayed', async () => {
      const [a, b] = [await client.wallet(1000), await client.wallet()];
      const [c, d] = [await client.wallet(1000), await client.wallet()];
      const [down, up] = [await hook('/down'), await hook('/up')];
      receiver.respond = ({ path }, response) => response.writeHead(path === '/down' ? 500 : 200).end('sorry');
      for (let step = 0; step < 24; step += 1) {
        await transfer(a.id, b.id);
        if (step % 3 === 0) await transfer(c.id, d.id);
        await expect.poll(() => receiver.accepted('/up').length).toBe(2 * (step + 1) + 2 * (Math.floor(step / 3) + 1));
        jump(5 * MINUTE);
      }
      const all = 2 * 24 + 2 * 8;
      expect((await deliveries(down, 'retrying')).length).toBeGreaterThan(0);
      const [failing] = await deliveries(down, 'retrying');
      expect(failing.log.at(-1)).toMatchObject({ status_code: 500, error: 'The receiver responded 500, not 2xx.', response: 'sorry' });
      await expect.poll(async () => (await client.get(`/v1/webhooks/${down}`)).waiting).toBe(all);
      expect((await client.get(`/v1/webhooks/${down}`)).consecutive_failures).toBeGreaterThan(4);
      const healthy = { waiting: 0, consecutive_failures: 0, failing_since: null };
      await expect.poll(() => client.get(`/v1/webhooks/${up}`)).toMatchObject(healthy);
      receiver.respond = accept;
      jump(8 * HOUR);
      await expect.poll(() => receiver.accepted('/down').length).toBe(all);
      expect(byWallet(receiver.accepted('/down'))).toEqual(byWallet(receiver.accepted('/up')));
      for (const ids of Object.values(byWallet(receiver.accepted('/down')))) expect(ids).toEqual(ids.toSorted());
      const attempts = Map.groupBy(
        receiver.received.filter(({ path }) => path === '/down'),
        ({ headers }) => headers['webhook-id'],
      );
      expect(attempts.size).toBe(all);
      for (const [id, sent] of attempts) for (const { event } of sent) expect(event.id).toBe(id);
      await expect.poll(async () => (await deliveries(down, 'delivered')).length).toBe(all);
      expect(await client.get(`/v1/webhooks/${down}`)).toMatchObject(healthy);
    });

    it('W1: an event that is always refused holds back its wallet only, and is dead after three days', async () => {
      const [a, b] = [await client.wallet(1000), await client.wallet(1000)];
      const id = await hook('/poison');
      const refused = new Set<string>();
      receiver.respond = ({ event }, response) => {
        const isPoison = event.event.name === 'wallet_transfer_out' && event.data.wtx.wal.id === a.id && refused.size < 1;
        if (isPoison) refused.add(event.id);
        response.writeHead(refused.has(event.id) ? 422 : 200).end();
      };
      await transfer(a.id, b.id);
      await expect.poll(() => refused.size).toBe(1);
      for (let i = 0; i < 3; i++) await transfer(b.id, a.id);
      await expect.poll(() => receiver.accepted('/poison').length).toBe(4);
      expect(receiver.accepted('/poison').map(({ data }) => data.wtx.wal.id)).toEqual([b.id, b.id, b.id, b.id]);
      await expect.poll(async () => (await deliveries(id, 'queued')).length).toBe(3);
      for (let hours = 0; hours < 84; hours += 8) {
        jump(8 * HOUR);
        await transfer(b.id, a.id);
        await expect.poll(() => receiver.accepted('/poison').filter(({ data }) => data.wtx.wal.id === b.id).length).toBe(5 + hours / 8);
      }
      jump(24 * HOUR);
      await expect.poll(() => receiver.accepted('/poison').filter(({ data }) => data.wtx.wal.id === a.id).length).toBe(14);
      const [dead] = await deliveries(id, 'dead');
      expect(dead).toMatchObject({ event_id: [...refused][0], wallet_id: a.id, next_attempt_at: null });
      expect(dead.log.length).toBeLessThanOrEqual(20);
      const [own] = [receiver.accepted('/poison').filter(({ data }) => data.wtx.wal.id === a.id)];
      expect(own.map((event) => event.id)).toEqual(own.map((event) => event.id).toSorted());
      expect((await client.get(`/v1/webhooks/${id}`)).status).toBe('active');
    });

    it('is disabled after three days with an alert, and resumes where it stopped', async () => {
      const [a, b] = [await client.wallet(1000), await client.wallet()];
      const id = await hook('/silent', { event_types: ['wallet_transfer_in', 'wallet_transfer_out'] });
      receiver.respond = (_received, response) => response.writeHead(503).end();
      await transfer(a.id, b.id);
      const status = async () => (await client.get(`/v1/webhooks/${id}`)).status;
      // An attempt that ends after the next jump would count as a failure of the later day.
      const areStored = async () =>
        (await deliveries(id, 'retrying')).filter(({ next_attempt_at }: { next_attempt_at: number }) => next_attempt_at * 1000 > Date.now())
          .length === 2;
      await expect.poll(areStored).toBe(true);
      for (let days = 0; days < 2; days += 1) {
        const before = receiver.received.length;
        jump(24 * HOUR);
        await expect.poll(areStored).toBe(true);
        expect(receiver.received.length).toBeGreaterThan(before);
        expect(await status()).toBe('active');
      }
      jump(24 * HOUR);
      await expect.poll(status).toBe('disabled');
      expect((await client.get(`/v1/webhooks/${id}`)).disabled_reason).toBe('failing');
      const open = async () => (await service.openAlerts()).filter(({ kind }) => kind === 'webhook_disabled').map(({ subject }) => subject);
      expect(await open()).toEqual([id]);
      const sent = receiver.received.length;
      await transfer(a.id, b.id);
      expect(await client.request('POST', `/v1/webhooks/${id}/test`, { key: client.secretKey, json: {} })).toMatchObject({
        status: 409,
        body: { type: 'webhook_inactive' },
      });
      expect(receiver.received.length).toBe(sent);
      receiver.respond = accept;
      expect(await patch(id, { status: 'active' })).toMatchObject({ status: 200, body: { status: 'active', consecutive_failures: 0 } });
      expect(await open()).toEqual([]);
      const dead = (await deliveries(id, 'dead')).length;
      await expect.poll(() => receiver.accepted('/silent').length).toBe(4 - dead);
    });

    it('is disabled at once by 410 Gone', async () => {
      const [a, b] = [await client.wallet(1000), await client.wallet()];
      const id = await hook('/gone', { wallet_id: a.id });
      receiver.respond = (_received, response) => response.writeHead(410).end();
      await transfer(a.id, b.id);
      await expect.poll(async () => (await client.get(`/v1/webhooks/${id}`)).disabled_reason).toBe('gone');
      expect(await deliveries(id, 'dead')).toHaveLength(1);
    });

    it('that is paused gets what happened meanwhile, also after a restart', async () => {
      const [a, b] = [await client.wallet(1000), await client.wallet()];
      const id = await hook('/paused', { event_types: ['wallet_transfer_in'] });
      await transfer(a.id, b.id);
      await expect.poll(() => receiver.accepted('/paused').length).toBe(1);
      await patch(id, { status: 'paused' });
      await transfer(a.id, b.id);
      await service.restart();
      await transfer(a.id, b.id);
      expect(receiver.accepted('/paused')).toHaveLength(1);
      expect((await client.get(`/v1/webhooks/${id}`)).waiting).toBe(2);
      await patch(id, { status: 'active' });
      await expect.poll(() => receiver.accepted('/paused').length).toBe(3);
      await service.restart();
      await transfer(a.id, b.id);
      await expect.poll(() => receiver.accepted('/paused').length).toBe(4);
    });
  },
  LOCAL,
  FAST,
);
