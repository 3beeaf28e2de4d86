import { expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { PERIODS_PER_DAY } from '../../src/core/db/retention.ts';
import { statement } from '../../src/core/db/statement.ts';
import { backgroundJobs } from '../../src/jobs.ts';
import type { Modules } from '../../src/modules.ts';
import { onBothDatabases } from '../support/ledger.ts';
import { type Instance, type World, worldOn } from './harness.ts';

async function endPeriods({ webhooks }: Instance, count: number): Promise<void> {
  for (let period = 0; period < count; period++) await webhooks.endRetentionPeriod();
}

onBothDatabases('deliveries', (open) => {
  /** An instance that delivers nothing, whose retention is one day. */
  async function stoppedInstance(world: World): Promise<Instance> {
    const instance = world.start({ post: async () => ({ status: 200, text: '' }) });
    await instance.stop();
    return instance;
  }

  it('are kept for the retention of events in running time, whether they have ended or wait', async () => {
    const world = await worldOn(await open());
    const [ended, waiting] = [await world.addWebhook(), await world.addWebhook()];
    const instance = await stoppedInstance(world);
    await world.insertEvents(2);
    await world.execute("UPDATE webhook_delivery SET state = 'delivered', ended_at_ms = 1 WHERE webhook_id = $1", ended);
    await endPeriods(instance, PERIODS_PER_DAY);
    expect(await world.states(ended)).toHaveLength(2);
    await world.insertEvents(1);
    await endPeriods(instance, 1);
    // Of the newest position of each period, only those before it have expired.
    expect((await world.states(ended)).length + (await world.states(waiting)).length).toBeLessThan(4);
    await endPeriods(instance, PERIODS_PER_DAY);
    expect((await world.deliveries(waiting)).length).toBeLessThanOrEqual(1);
  });

  it('that others wait for are kept, and cancelled once they are due', async () => {
    const world = await worldOn(await open());
    const id = await world.addWebhook();
    const instance = await stoppedInstance(world);
    await world.insertEvents(3);
    const [head, held] = await world.deliveries(id);
    await world.execute("UPDATE webhook_delivery SET state = 'retrying', due_at_ms = 1 WHERE position = $1", head?.position ?? 0);
    await world.execute("UPDATE webhook_delivery SET state = 'held' WHERE position > $1", head?.position ?? 0);
    await world.execute('DELETE FROM event WHERE position <= $1', held?.event_position ?? 0);
    await endPeriods(instance, 1);
    const kept = await world.insertEvents(1);
    await endPeriods(instance, PERIODS_PER_DAY);
    expect(await world.states(id)).toContain('retrying');
    const got: string[] = [];
    const other = world.start({
      post: async (_url, { headers }) => {
        got.push(headers?.['webhook-id'] ?? '');
        return { status: 200, text: '' };
      },
    });
    await expect.poll(() => got.at(-1)).toBe(kept[0]);
    expect((await world.states(id))[0]).toBe('cancelled');
    await other.stop();
  });

  it('that wait for one that has not been sent yet are sent when earlier ones have expired', async () => {
    const world = await worldOn(await open());
    const id = await world.addWebhook();
    const instance = await stoppedInstance(world);
    const walletId = world.wallets[0];
    await world.insertEvents(100, { walletId });
    await endPeriods(instance, 1);
    await world.insertEvents(50, { walletId });
    const queued = (await world.deliveries(id))[49]?.position ?? 0;
    await world.execute("UPDATE webhook_delivery SET state = 'held' WHERE webhook_id = $1 AND position > $2", id, queued);
    await endPeriods(instance, PERIODS_PER_DAY);
    const states = await world.states(id);
    expect(states.filter((state) => state === 'queued')).toHaveLength(50);
    expect(states.filter((state) => state === 'held').length).toBeLessThanOrEqual(51);
    const other = world.start({ post: async () => ({ status: 200, text: '' }) });
    await expect.poll(async () => new Set(await world.states(id))).toEqual(new Set(['delivered']));
    expect(await world.states(id)).toHaveLength(states.length);
    await other.stop();
  });

  it('expire by the job of the service', async () => {
    const world = await worldOn(await open());
    const { webhooks } = await stoppedInstance(world);
    const deps = { webhooks, connections: { all: [] } } as unknown as Modules;
    const job = backgroundJobs(deps, readConfig({}), {}).find(({ name }) => name === 'webhook retention');
    await job?.run(AbortSignal.timeout(60_000));
    const periods = statement<{ n: number }>('test_periods', "SELECT count(*) AS n FROM retention_period WHERE name = 'webhook_delivery'");
    expect(await world.database.first(periods)).toEqual({ n: 1 });
  });

  it('never get the position of one that was deleted with its webhook', async () => {
    const world = await worldOn(await open());
    const [id, other] = [await world.addWebhook(), await world.addWebhook()];
    await world.execute("UPDATE webhook SET status = 'deleted' WHERE id = $1", other);
    await world.insertEvents(5);
    const before = (await world.deliveries(id)).at(-1)?.position ?? 0;
    await world.execute("UPDATE webhook SET status = 'deleted', secrets = '[]' WHERE id = $1", id);
    const instance = world.start({ post: async () => ({ status: 200, text: '' }) });
    await expect.poll(async () => (await world.states(id)).length).toBe(1);
    await instance.stop();
    const next = await world.addWebhook();
    await world.insertEvents(1);
    expect((await world.deliveries(next))[0]?.position).toBeGreaterThan(before);
  });
});
