import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createAlerts } from '../../src/core/alerts/alerts.ts';
import { StatementFailed } from '../../src/core/db/errors.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import type { Outbound, PostOptions } from '../../src/core/outbound/outbound.ts';
import type { DeliveryRow } from '../../src/features/webhooks/deliveries.sql.ts';
import { attemptsOf } from '../../src/features/webhooks/deliveries.ts';
import { onBothDatabases, silentLog } from '../support/ledger.ts';
import { type Instance, type World, worldOn } from './harness.ts';

const DAY_MS = 86_400_000;

/** A receiver that records what it gets, and responds when its gate is open. */
class Receiver {
  readonly got: { webhookId: string; eventId: string }[] = [];
  status = 200;
  running = 0;
  mostRunning = 0;
  #gate = Promise.withResolvers<void>();

  constructor() {
    this.#gate.resolve();
  }

  readonly post: Outbound['post'] = async (url: string, { headers }: PostOptions) => {
    this.got.push({ webhookId: url.slice(url.lastIndexOf('/') + 1), eventId: headers?.['webhook-id'] ?? '' });
    this.running += 1;
    this.mostRunning = Math.max(this.mostRunning, this.running);
    await this.#gate.promise;
    this.running -= 1;
    return { status: this.status, text: '' };
  };

  get eventIds(): string[] {
    return this.got.map(({ eventId }) => eventId);
  }

  close(): void {
    this.#gate = Promise.withResolvers();
  }

  open(): void {
    this.#gate.resolve();
  }
}

onBothDatabases('a deliverer', (open) => {
  async function running(use: (world: World, receiver: Receiver, instance: Instance) => Promise<void>): Promise<void> {
    const world = await worldOn(await open());
    const receiver = new Receiver();
    const instance = world.start(receiver);
    try {
      await use(world, receiver, instance);
    } finally {
      receiver.open();
      await instance.stop();
    }
  }

  it('sends what was queued before its start, and gives up its claims when it stops', async () => {
    const world = await worldOn(await open());
    const id = await world.addWebhook();
    const ids = await world.insertEvents(3);
    const receiver = new Receiver();
    const first = world.start(receiver);
    await expect.poll(() => receiver.eventIds).toEqual(ids);
    await expect.poll(() => world.states(id)).toEqual(['delivered', 'delivered', 'delivered']);
    receiver.close();
    await world.insertEvents(4);
    await expect.poll(() => receiver.running).toBe(1);
    const stopped = first.stop();
    await delay(20);
    receiver.open();
    await stopped;
    // The one that was being sent has ended; the others wait for another instance.
    expect((await world.states(id)).slice(3)).toEqual(['delivered', 'queued', 'queued', 'queued']);
  });

  it('takes the deliveries over that a dead instance was sending', async () => {
    const world = await worldOn(await open());
    const id = await world.addWebhook();
    const [dead, receiver] = [new Receiver(), new Receiver()];
    dead.close();
    const killed = world.start(dead);
    const ids = await world.insertEvents(3);
    await expect.poll(() => dead.running).toBe(1);
    killed.kill();
    const other = world.start(receiver);
    await delay(100);
    expect(receiver.eventIds).toEqual([]);
    world.ended.add(killed.id);
    await expect.poll(() => receiver.eventIds).toEqual(ids);
    await expect.poll(() => world.states(id)).toEqual(['delivered', 'delivered', 'delivered']);
    await other.stop();
  });

  it('continues after transactions that failed, and sends nothing twice', async () => {
    await running(async (world, receiver, instance) => {
      const id = await world.addWebhook();
      const sent: string[] = [];
      for (const fault of ['before', 'after', 'before', 'after'] as const) {
        instance.fault = fault;
        sent.push(...(await world.insertEvents(2)));
        await expect.poll(() => receiver.eventIds).toEqual(sent);
      }
      await expect.poll(async () => new Set(await world.states(id))).toEqual(new Set(['delivered']));
      expect(receiver.eventIds).toEqual(sent);
    });
  });

  it('sends eight deliveries to an endpoint at a time, and one if it is down', async () => {
    await running(async (world, receiver) => {
      const id = await world.addWebhook();
      receiver.close();
      // Each redelivery has an ordering key of its own.
      const redeliver = (count: number) =>
        world.execute(
          `INSERT INTO webhook_delivery (webhook_id, event_position, event_created_at_ms, event_type, ordering_key, created_at_ms)
           SELECT $1, 0, 1, 'webhook_test', 'key ' || position, 1 FROM event ORDER BY position LIMIT ${count}`,
          id,
        );
      await world.execute("UPDATE webhook SET status = 'paused' WHERE id = $1", id);
      await world.insertEvents(20);
      await world.execute('DELETE FROM webhook_delivery WHERE webhook_id = $1', id);
      await redeliver(20);
      await world.execute("UPDATE webhook SET status = 'active' WHERE id = $1", id);
      await expect.poll(() => receiver.running).toBe(8);
      await delay(50);
      expect(receiver.mostRunning).toBe(8);
      receiver.status = 500;
      receiver.open();
      await expect.poll(() => receiver.running).toBe(0);
      await expect.poll(async () => new Set(await world.states(id))).toEqual(new Set(['dead']));
      await world.execute('UPDATE webhook SET failures = 5, failing_since = 1 WHERE id = $1', id);
      receiver.mostRunning = 0;
      await redeliver(4);
      await expect.poll(async () => (await world.states(id)).filter((state) => state === 'dead').length).toBe(24);
      expect(receiver.mostRunning).toBe(1);
    });
  });

  it('makes all retries due when an endpoint that was down accepts one', async () => {
    await running(async (world, receiver) => {
      const id = await world.addWebhook();
      receiver.status = 503;
      for (const walletId of [...world.wallets, null]) await world.insertEvents(2, { walletId });
      await expect.poll(async () => (await world.webhook(id)).failures).toBeGreaterThanOrEqual(3);
      await world.execute('UPDATE webhook SET failures = 9 WHERE id = $1', id);
      const later = Date.now() + 6 * 3600_000;
      await world.execute("UPDATE webhook_delivery SET due_at_ms = $2 WHERE webhook_id = $1 AND state = 'retrying'", id, later);
      receiver.status = 200;
      const [first] = await world.deliveries(id);
      await world.execute('UPDATE webhook_delivery SET due_at_ms = 1 WHERE position = $1', first?.position ?? 0);
      await expect.poll(async () => new Set(await world.states(id))).toEqual(new Set(['delivered']));
      expect(await world.webhook(id)).toMatchObject({ failures: 0, failing_since: null });
    });
  });

  it('cancels deliveries whose events have expired', async () => {
    const world = await worldOn(await open());
    const id = await world.addWebhook();
    const ids = await world.insertEvents(2);
    const [first] = await world.deliveries(id);
    await world.execute('DELETE FROM event WHERE position = $1', first?.event_position ?? 0);
    const receiver = new Receiver();
    const instance = world.start(receiver);
    await expect.poll(() => world.states(id)).toEqual(['cancelled', 'delivered']);
    expect(receiver.eventIds).toEqual(ids.slice(1));
    await instance.stop();
  });

  it('fails an event that cannot be rendered, and later ones of its wallet wait; others are sent', async () => {
    const world = await worldOn(await open());
    const id = await world.addWebhook();
    const [a, b] = world.wallets;
    const [broken] = await world.insertEvents(1, { walletId: a });
    const [later] = await world.insertEvents(1, { walletId: a });
    const others = await world.insertEvents(2, { walletId: b });
    const receiver = new Receiver();
    let isBroken = true;
    world.start({
      post: receiver.post,
      renderEvents: async (events) => {
        if (isBroken && events.some((event) => event.id === broken)) throw new TypeError('a bug');
        return events.map((event) => ({ id: event.id }));
      },
    });
    await expect.poll(() => world.states(id)).toEqual(['retrying', 'held', 'delivered', 'delivered']);
    expect(receiver.eventIds).toEqual(others);
    const [failed] = await world.deliveries(id);
    expect(attemptsOf(failed as DeliveryRow)).toMatchObject([{ status_code: null, error: 'The service could not render the event.' }]);
    expect(await world.webhook(id)).toMatchObject({ failures: 0, failing_since: null });
    isBroken = false;
    world.passedMs += 60_000;
    await expect.poll(() => receiver.eventIds).toEqual([...others, broken, later]);
  });

  it('sends an event that could not be read during an outage of the database, without an attempt that failed', async () => {
    const world = await worldOn(await open());
    const id = await world.addWebhook();
    const ids = await world.insertEvents(2);
    const receiver = new Receiver();
    let outages = 3;
    world.start({
      post: receiver.post,
      renderEvents: async (events) => {
        if (outages-- > 0) throw new StatementFailed('the connection was lost', 'ECONNRESET');
        return events.map((event) => ({ id: event.id }));
      },
    });
    await expect.poll(() => world.states(id)).toEqual(['delivered', 'delivered']);
    expect(receiver.eventIds).toEqual(ids);
    expect((await world.deliveries(id)).map(({ attempts }) => attempts)).toEqual([1, 1]);
  });

  it('does not wait for a retry that was planned before the clock was set back by hours', async () => {
    await running(async (world, receiver) => {
      const id = await world.addWebhook();
      // Less than the longest wait of a retry, which no plan exceeds.
      world.passedMs = 5 * 3_600_000;
      receiver.status = 500;
      const [event = ''] = await world.insertEvents(1);
      await expect.poll(() => world.states(id)).toEqual(['retrying']);
      receiver.status = 200;
      world.passedMs = 0;
      await expect.poll(() => world.states(id)).toEqual(['delivered']);
      expect(new Set(receiver.eventIds)).toEqual(new Set([event]));
    });
  });

  it('raises an alert while secrets cannot be opened, and closes it', async () => {
    await running(async (world) => {
      const openAlerts = async () => (await createAlerts(world.database, systemClock, silentLog).listOpen()).map(({ kind }) => kind);
      const id = await world.addWebhook({ keyId: 'another' });
      await world.insertEvents(1);
      await expect.poll(openAlerts).toEqual(['webhook_secrets_unreadable']);
      expect(await world.states(id)).toContain('queued');
      await world.execute("UPDATE webhook SET status = 'paused' WHERE id = $1", id);
      await expect.poll(openAlerts).toEqual([]);
    });
  });

  it('leaves deliveries of a paused webhook that it had claimed', async () => {
    await running(async (world, receiver) => {
      const id = await world.addWebhook();
      receiver.close();
      const ids = await world.insertEvents(3);
      await expect.poll(() => receiver.running).toBe(1);
      await world.execute("UPDATE webhook SET status = 'paused' WHERE id = $1", id);
      await expect.poll(() => world.states(id)).toEqual(['claimed', 'queued', 'queued']);
      receiver.open();
      await expect.poll(() => world.states(id)).toEqual(['delivered', 'queued', 'queued']);
      await world.execute("UPDATE webhook SET status = 'active' WHERE id = $1", id);
      await expect.poll(() => receiver.eventIds).toEqual(ids);
    });
  });

  it('counts attempts and what waits, without webhooks that are not active', async () => {
    await running(async (world, receiver, { webhooks }) => {
      const id = await world.addWebhook();
      const paused = await world.addWebhook();
      await world.execute("UPDATE webhook SET status = 'paused' WHERE id = $1", paused);
      await world.insertEvents(3);
      await expect.poll(() => webhooks.stats()).toMatchObject({ counts: { delivered: 3, failed: 0 }, waiting: 0, oldestWaitingSeconds: 0 });
      receiver.status = 500;
      await world.insertEvents(2);
      await expect.poll(() => webhooks.stats()).toMatchObject({ counts: { delivered: 3, failed: expect.any(Number) }, waiting: 2 });
      expect(await webhooks.countWaiting(id)).toBe(2);
      expect(await webhooks.countWaiting(paused)).toBe(5);
      world.passedMs += DAY_MS;
      expect((await webhooks.stats()).oldestWaitingSeconds).toBeGreaterThan(86_000);
    });
  });

  it('deletes a webhook with its deliveries and replays', async () => {
    await running(async (world) => {
      const [id, other] = [await world.addWebhook(), await world.addWebhook()];
      await world.insertEvents(2500);
      await world.execute(
        "INSERT INTO webhook_replay (id, webhook_id, created_at, position, until_position) VALUES ('whr_1', $1, 1, 0, 1)",
        id,
      );
      await world.execute("UPDATE webhook SET status = 'deleted', secrets = '[]' WHERE id = $1", id);
      // The newest delivery of all is not deleted, and the last event may have been delivered to either first.
      await world.insertEvents(1);
      await expect.poll(() => world.webhook(id)).toBeUndefined();
      expect(await world.states(id)).toEqual([]);
      expect(await world.states(other)).toHaveLength(2501);
    });
  });
});
