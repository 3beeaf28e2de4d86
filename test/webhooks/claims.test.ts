import { expect, it } from 'vitest';
import type { DeliveryRow } from '../../src/features/webhooks/deliveries.sql.ts';
import { type Claim, claimDeliveries, type Result, resultOf } from '../../src/features/webhooks/deliveries.ts';
import { onBothDatabases } from '../support/ledger.ts';
import { claimer, storeResults, type World, worldOn } from './harness.ts';

const HOUR_MS = 3600_000;

/** Claims deliveries as an instance. */
function claim(world: World, webhookIds: readonly string[], instanceId = 'ins_a', limit = 10): Promise<Claim[]> {
  return world.database.transaction((tx) => claimDeliveries(tx, claimer(world, instanceId), webhookIds, limit));
}

async function rowsOf(claims: Promise<Claim[]>): Promise<readonly DeliveryRow[]> {
  return (await claims).flatMap(({ rows }) => rows);
}

const positions = (rows: readonly DeliveryRow[]) => rows.map(({ position }) => position);

/** Stores the outcome of deliveries: an HTTP status of the receiver. */
async function finish(world: World, rows: readonly DeliveryRow[], status: number, instanceId = 'ins_a'): Promise<void> {
  const results: Result[] = [];
  for (const row of rows) {
    const error = status === 200 ? null : 'failed';
    const attempt = { at: Math.floor(Date.now() / 1000), duration_ms: 1, status_code: status, error, response: '' };
    results.push(resultOf(await world.webhook(row.webhook_id), row, attempt, Date.now()));
  }
  await storeResults(world, results, instanceId);
}

onBothDatabases('a claim', (open, dialect) => {
  it('takes queued deliveries in the order of their events, up to the limit', async () => {
    const world = await worldOn(await open());
    const id = await world.addWebhook();
    await world.insertEvents(4, { walletId: world.wallets[0] });
    await world.insertEvents(2, { walletId: world.wallets[1] });
    const all = positions(await world.deliveries(id));
    expect(positions(await rowsOf(claim(world, [id], 'ins_a', 4)))).toEqual(all.slice(0, 4));
    expect(positions(await rowsOf(claim(world, [id], 'ins_a', 4)))).toEqual(all.slice(4));
    expect(await rowsOf(claim(world, [id]))).toEqual([]);
    expect((await world.deliveries(id)).map(({ claimed_by }) => claimed_by)).toEqual(all.map(() => 'ins_a'));
  });

  it.each(['ins_a', 'ins_b'])(
    'holds deliveries while ins_a sends earlier ones of their key, and lets %s take those of other keys',
    async (by) => {
      const world = await worldOn(await open());
      const id = await world.addWebhook();
      await world.insertEvents(1, { walletId: world.wallets[0] });
      const first = await rowsOf(claim(world, [id], 'ins_a'));
      await world.insertEvents(2, { walletId: world.wallets[0] });
      await world.insertEvents(1, { walletId: world.wallets[1] });
      await world.insertEvents(1);
      const others = await rowsOf(claim(world, [id], by));
      expect(others.map(({ ordering_key }) => ordering_key)).toEqual([world.wallets[1], '']);
      expect(await world.states(id)).toEqual(['claimed', 'held', 'held', 'claimed', 'claimed']);
      await finish(world, first, 200);
      expect(await world.states(id)).toEqual(['delivered', 'queued', 'queued', 'claimed', 'claimed']);
      expect(await rowsOf(claim(world, [id], by))).toHaveLength(2);
    },
  );

  it('takes a failed delivery when its retry is due, and the later ones of its key after its end', async () => {
    const world = await worldOn(await open());
    const id = await world.addWebhook();
    await world.insertEvents(2);
    const [first, second] = await rowsOf(claim(world, [id]));
    if (!first || !second) throw new Error('two deliveries are claimed');
    await finish(world, [first], 500);
    await storeResults(world, [{ row: { ...second, state: 'held' } }]);
    expect(await world.states(id)).toEqual(['retrying', 'held']);
    expect(await rowsOf(claim(world, [id]))).toEqual([]);
    world.passedMs = 60_000;
    const [again, ...others] = await rowsOf(claim(world, [id]));
    expect(again).toMatchObject({ position: first.position, attempts: 1 });
    expect(others).toEqual([]);
    if (again) await finish(world, [again], 200);
    expect(await world.states(id)).toEqual(['delivered', 'queued']);
  });

  it('takes retries that were planned before the clock was set back', async () => {
    const world = await worldOn(await open());
    const id = await world.addWebhook();
    await world.insertEvents(1);
    await finish(world, await rowsOf(claim(world, [id])), 500);
    await world.execute('UPDATE webhook_delivery SET due_at_ms = $2 WHERE webhook_id = $1', id, Date.now() + 55 * HOUR_MS);
    expect(await rowsOf(claim(world, [id]))).toHaveLength(1);
  });

  it('leaves a retry alone that is planned within the longest wait', async () => {
    const world = await worldOn(await open());
    const id = await world.addWebhook();
    await world.insertEvents(1);
    await finish(world, await rowsOf(claim(world, [id])), 500);
    await world.execute('UPDATE webhook_delivery SET due_at_ms = $2 WHERE webhook_id = $1', id, Date.now() + 7 * HOUR_MS);
    expect(await rowsOf(claim(world, [id]))).toEqual([]);
  });

  it('takes one delivery at a time from an endpoint that is down, on all instances together', async () => {
    const world = await worldOn(await open());
    const id = await world.addWebhook();
    await world.execute('UPDATE webhook SET failures = 5, failing_since = 1 WHERE id = $1', id);
    for (const walletId of [...world.wallets, null]) await world.insertEvents(1, { walletId });
    const first = await rowsOf(claim(world, [id], 'ins_a'));
    expect(first).toHaveLength(1);
    expect(await rowsOf(claim(world, [id], 'ins_b'))).toEqual([]);
    await finish(world, first, 200);
    expect(await rowsOf(claim(world, [id], 'ins_b'))).toHaveLength(2);
  });

  it('takes nothing from webhooks that are not active, or whose secret another key has sealed', async () => {
    const world = await worldOn(await open());
    const [paused, foreign] = [await world.addWebhook(), await world.addWebhook({ keyId: 'another' })];
    await world.execute("UPDATE webhook SET status = 'paused' WHERE id = $1", paused);
    await world.insertEvents(1);
    expect(await claim(world, [paused, foreign])).toEqual([]);
    expect(await world.states(foreign)).toEqual(['queued']);
  });

  it('leaves webhooks out that another transaction has locked', async () => {
    if (dialect === 'sqlite') return;
    const world = await worldOn(await open());
    const [locked, free] = [await world.addWebhook(), await world.addWebhook()];
    await world.insertEvents(1);
    const { promise, resolve } = Promise.withResolvers<void>();
    const { promise: isLocked, resolve: lock } = Promise.withResolvers<void>();
    const other = world.database.transaction(async (tx) => {
      await claimDeliveries(tx, claimer(world, 'ins_b'), [locked], 1);
      lock();
      await promise;
    });
    await isLocked;
    expect((await rowsOf(claim(world, [locked, free]))).map(({ webhook_id }) => webhook_id)).toEqual([free]);
    resolve();
    await other;
  });

  it('reports that there may be more when it has looked at as many deliveries as it may', async () => {
    const world = await worldOn(await open());
    const id = await world.addWebhook();
    await world.insertEvents(101);
    expect((await claim(world, [id])).map(({ isPart }) => isPart)).toEqual([true]);
    expect((await claim(world, [id])).map(({ isPart }) => isPart)).toEqual([false]);
  });

  it('leaves events of types that it does not know, and later ones of their wallet, to a newer version', async () => {
    const world = await worldOn(await open());
    const id = await world.addWebhook();
    const [a, b] = world.wallets;
    await world.insertEvents(1, { walletId: a });
    await world.insertEvents(1, { walletId: a, type: 'a_type_of_tomorrow' });
    await world.insertEvents(1, { walletId: a });
    await world.insertEvents(1, { walletId: b, type: 'a_type_of_tomorrow' });
    await world.insertEvents(1);
    await world.execute("UPDATE webhook_delivery SET state = 'retrying', due_at_ms = 1 WHERE wallet_id = $1", b);
    const claims = await claim(world, [id]);
    expect(claims.map(({ isPart }) => isPart)).toEqual([false]);
    expect(await world.states(id)).toEqual(['queued', 'queued', 'queued', 'retrying', 'claimed']);
  });

  it('takes a retry that is due although many of types that it does not know are due before it', async () => {
    const world = await worldOn(await open());
    const id = await world.addWebhook();
    await world.insertEvents(20, { type: 'a_type_of_tomorrow' });
    await world.insertEvents(1, { walletId: world.wallets[0] });
    await world.execute("UPDATE webhook_delivery SET state = 'retrying', due_at_ms = position WHERE webhook_id = $1", id);
    expect((await rowsOf(claim(world, [id]))).map(({ event_type }) => event_type)).toEqual(['wallet_updated']);
  });

  it('does not look again at once when it could claim nothing of what it looked at', async () => {
    const world = await worldOn(await open());
    const id = await world.addWebhook();
    await world.insertEvents(101, { type: 'a_type_of_tomorrow' });
    expect((await claim(world, [id])).map(({ isPart }) => isPart)).toEqual([false]);
  });

  it('looks at each delivery that waits for an earlier one once, and frees as many of them as one claim takes', async () => {
    const world = await worldOn(await open());
    const id = await world.addWebhook();
    await world.insertEvents(1);
    const first = await rowsOf(claim(world, [id], 'ins_a'));
    await world.insertEvents(250);
    for (let turn = 0; turn < 3; turn++) expect(await rowsOf(claim(world, [id], 'ins_b'))).toEqual([]);
    const count = async (state: string) => (await world.states(id)).filter((one) => one === state).length;
    expect([await count('queued'), await count('held')]).toEqual([0, 250]);
    await finish(world, first, 200);
    expect([await count('queued'), await count('held')]).toEqual([50, 200]);
    const next = await rowsOf(claim(world, [id], 'ins_b', 50));
    expect(positions(next)).toEqual(positions(await world.deliveries(id)).slice(1, 51));
  });
});
