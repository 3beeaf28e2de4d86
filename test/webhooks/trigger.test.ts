import { expect, it } from 'vitest';
import { eventIdOf } from '../../src/features/webhooks/deliveries.ts';
import { onBothDatabases } from '../support/ledger.ts';
import { worldOn } from './harness.ts';

onBothDatabases('the deliveries of an event', (open) => {
  it('are inserted in its transaction for each webhook of the account that wants it', async () => {
    const world = await worldOn(await open());
    const [a, b] = world.wallets;
    const all = await world.addWebhook();
    const ofWallet = await world.addWebhook({ walletId: a });
    const ofTypes = await world.addWebhook({ eventTypes: 'wallet_send wallet_receive' });
    const ofBoth = await world.addWebhook({ walletId: b, eventTypes: 'wallet_send' });
    const ids = [
      ...(await world.insertEvents(1, { walletId: a, type: 'wallet_send', lntx: 'lntx_1' })),
      ...(await world.insertEvents(1, { walletId: b, type: 'wallet_send_failure' })),
      ...(await world.insertEvents(1, { walletId: b, type: 'wallet_send' })),
      ...(await world.insertEvents(1, { type: 'key_created' })),
    ];
    const eventsOf = async (webhookId: string) => (await world.deliveries(webhookId)).map(eventIdOf);
    expect(await eventsOf(all)).toEqual(ids);
    expect(await eventsOf(ofWallet)).toEqual([ids[0]]);
    expect(await eventsOf(ofTypes)).toEqual([ids[0], ids[2]]);
    expect(await eventsOf(ofBoth)).toEqual([ids[2]]);
    const [first, , , last] = await world.deliveries(all);
    expect(first).toMatchObject({ event_type: 'wallet_send', wallet_id: a, lntx: 'lntx_1', ordering_key: a, state: 'queued', attempts: 0 });
    expect(last).toMatchObject({ event_type: 'key_created', wallet_id: null, lntx: null, ordering_key: '' });
  });

  it('do not exist if the transaction is rolled back', async () => {
    const world = await worldOn(await open());
    const id = await world.addWebhook();
    const rolledBack = new Error('rolled back');
    const work = world.database.transaction(async (tx) => {
      const inTx = { ...world.database, transaction: (run: (tx: unknown) => Promise<unknown>) => run(tx) };
      await Object.assign(Object.create(Object.getPrototypeOf(world)), world, { database: inTx }).insertEvents(3);
      throw rolledBack;
    });
    await expect(work).rejects.toBe(rolledBack);
    expect(await world.deliveries(id)).toEqual([]);
  });

  it('wait for paused webhooks, and do not exist for disabled and deleted ones and those of other accounts', async () => {
    const database = await open();
    const [world, other] = [await worldOn(database), await worldOn(database)];
    const [paused, disabled, deleted] = [await world.addWebhook(), await world.addWebhook(), await world.addWebhook()];
    await world.execute("UPDATE webhook SET status = 'paused' WHERE id = $1", paused);
    await world.execute("UPDATE webhook SET status = 'disabled', disabled_reason = 'gone', missed_after = 0 WHERE id = $1", disabled);
    await world.execute("UPDATE webhook SET status = 'deleted' WHERE id = $1", deleted);
    const foreign = await other.addWebhook();
    await world.insertEvents(2);
    expect(await world.states(paused)).toEqual(['queued', 'queued']);
    expect(await world.states(disabled)).toEqual([]);
    expect(await world.states(deleted)).toEqual([]);
    expect(await world.states(foreign)).toEqual([]);
  });

  it('have the order of the events, also of events that one statement inserts', async () => {
    const world = await worldOn(await open());
    const id = await world.addWebhook();
    const numbers = 'SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5';
    await world.execute(
      `INSERT INTO event (created_at_ms, type, account_id, wallet_id, subject) SELECT 1, 'wallet_updated', $1, $2, CAST(n AS TEXT)
       FROM (${numbers}) AS numbers ORDER BY n DESC`,
      world.accountId,
      world.wallets[0],
    );
    const positions = (await world.deliveries(id)).map(({ event_position }) => event_position);
    expect(positions).toHaveLength(5);
    expect(positions).toEqual(positions.toSorted((x, y) => x - y));
  });
});
