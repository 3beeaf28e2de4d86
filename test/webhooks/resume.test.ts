import { expect, it } from 'vitest';
import { createAccounts, type Key } from '../../src/core/accounts/accounts.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { onBothDatabases } from '../support/ledger.ts';
import { type World, worldOn } from './harness.ts';

/** A key with which a webhook of the world can be changed: the service checks its account before it changes anything. */
async function keyFor({ database, accountId }: World): Promise<Key> {
  const accounts = createAccounts(database, systemClock);
  const keys = await accounts.bootstrap(`sak_${'resumeKey1'.repeat(3)}`, async () => undefined);
  const key = await accounts.find(keys?.secretKey ?? '');
  return { ...(key as Key), accountId };
}

onBothDatabases('a webhook that the service disabled', (open) => {
  async function disabled() {
    const world = await worldOn(await open());
    const id = await world.addWebhook();
    const got: string[] = [];
    const instance = world.start({
      post: async (_url, { headers }) => {
        got.push(headers?.['webhook-id'] ?? '');
        return { status: 200, text: '' };
      },
    });
    const before = await world.insertEvents(2);
    await expect.poll(() => got).toEqual(before);
    await world.execute(
      "UPDATE webhook SET status = 'disabled', disabled_reason = 'gone', missed_after = (SELECT max(position) FROM event) WHERE id = $1",
      id,
    );
    got.length = 0;
    const { webhooks } = instance;
    const by = await keyFor(world);
    return { world, id, got, set: (status: 'active' | 'paused') => webhooks.change(by, id, { status }) };
  }

  it('gets what it missed when it is resumed, once and in order, and later events', async () => {
    const { world, id, got, set } = await disabled();
    const [walletId] = world.wallets;
    const missed = await world.insertEvents(3, { walletId });
    expect(await world.states(id)).toHaveLength(2);
    await set('active');
    await expect.poll(() => got).toEqual(missed);
    const later = await world.insertEvents(2, { walletId });
    await expect.poll(() => got).toEqual([...missed, ...later]);
    expect(await world.webhook(id)).toMatchObject({ status: 'active', disabled_reason: null, missed_after: null });
  });

  it('misses no event that is inserted while it is resumed, and gets none twice', async () => {
    const { world, got, set } = await disabled();
    const inserted: Promise<string[]>[] = [];
    for (let i = 0; i < 20; i++) {
      inserted.push(world.insertEvents(1));
      if (i === 10) inserted.push(set('active').then(() => []));
    }
    const ids = (await Promise.all(inserted)).flat();
    await expect.poll(() => got.toSorted()).toEqual(ids.toSorted());
  });

  it('gets what it missed also when it is paused first', async () => {
    const { world, id, got, set } = await disabled();
    const missed = await world.insertEvents(1);
    await set('paused');
    const waiting = await world.insertEvents(1);
    expect((await world.states(id)).slice(2)).toEqual(['queued']);
    expect(got).toEqual([]);
    await set('active');
    await expect.poll(() => got.toSorted()).toEqual([...missed, ...waiting].toSorted());
  });

  it('gets what it missed however many webhooks cannot continue their replays', async () => {
    const { world, got, set } = await disabled();
    const missed = await world.insertEvents(1);
    for (let i = 100; i < 200; i++) {
      const paused = await world.addWebhook();
      await world.execute("UPDATE webhook SET status = 'paused' WHERE id = $1", paused);
      await world.execute(
        'INSERT INTO webhook_replay (id, webhook_id, created_at, position, until_position) VALUES ($1, $2, 1, 0, 1)',
        `whr_0${i}`,
        paused,
      );
    }
    await set('active');
    await expect.poll(() => got).toEqual(missed);
  });
});
