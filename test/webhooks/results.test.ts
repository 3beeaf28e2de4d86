import { expect, it } from 'vitest';
import { createAlerts } from '../../src/core/alerts/alerts.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import type { DeliveryRow } from '../../src/features/webhooks/deliveries.sql.ts';
import { attemptsOf, claimDeliveries, type Result, resultOf } from '../../src/features/webhooks/deliveries.ts';
import { onBothDatabases, silentLog } from '../support/ledger.ts';
import { claimer, storeResults, type World, worldOn } from './harness.ts';

const DAY = 86_400;

async function claimed(world: World, id: string): Promise<readonly DeliveryRow[]> {
  const [claim] = await world.database.transaction((tx) => claimDeliveries(tx, claimer(world, 'ins_a'), [id], 50));
  return claim?.rows ?? [];
}

const attempt = (status: number | null) => ({
  at: Math.floor(Date.now() / 1000),
  duration_ms: 5,
  status_code: status,
  error: status === 200 ? null : 'failed',
  response: 'ok',
});

onBothDatabases('the results of attempts', (open) => {
  async function prepared(count: number) {
    const world = await worldOn(await open());
    const id = await world.addWebhook();
    for (let i = 0; i < count; i++) await world.insertEvents(1, { walletId: [...world.wallets, null][i % 3] ?? null });
    return { world, id, rows: await claimed(world, id), webhook: await world.webhook(id) };
  }

  it('store state, attempts and health of the endpoint', async () => {
    const { world, id, rows, webhook } = await prepared(3);
    const results: Result[] = [];
    for (const [index, row] of rows.entries()) results.push(resultOf(webhook, row, attempt([500, 200, null][index] ?? null), Date.now()));
    expect(await storeResults(world, results)).toBe(false);
    expect(await world.states(id)).toEqual(['retrying', 'delivered', 'retrying']);
    const [failed] = await world.deliveries(id);
    expect(attemptsOf(failed as DeliveryRow)).toMatchObject([{ status_code: 500, error: 'failed', response: 'ok', duration_ms: 5 }]);
    // One failure came after the last success.
    expect(await world.webhook(id)).toMatchObject({ failures: 1, last_success_at: expect.any(Number), failing_since: expect.any(Number) });
  });

  it('add to the failures that are stored, and keep the time of the first one', async () => {
    const { world, id, rows, webhook } = await prepared(2);
    await world.execute('UPDATE webhook SET failures = 3, failing_since = $2 WHERE id = $1', id, webhook.created_at - 100);
    const results: Result[] = [];
    for (const row of rows) results.push(resultOf(webhook, row, attempt(503), Date.now()));
    await storeResults(world, results);
    expect(await world.webhook(id)).toMatchObject({ failures: 5, failing_since: webhook.created_at - 100 });
  });

  it('keep the last twenty attempts of a delivery', async () => {
    const { world, id, rows, webhook } = await prepared(1);
    let [row] = rows as [DeliveryRow];
    for (let i = 0; i < 25; i++) ({ row } = resultOf(webhook, { ...row, due_at_ms: null }, attempt(500 + i), Date.now()));
    await storeResults(world, [{ row }]);
    const [stored] = await world.deliveries(id);
    expect(stored?.attempts).toBe(25);
    expect(attemptsOf(stored as DeliveryRow).map(({ status_code }) => status_code)).toEqual(Array.from({ length: 20 }, (_, i) => 505 + i));
  });

  it('change nothing where another instance has taken over', async () => {
    const { world, id, rows, webhook } = await prepared(1);
    await world.execute("UPDATE webhook_delivery SET claimed_by = 'ins_b' WHERE webhook_id = $1", id);
    const results = [resultOf(webhook, rows[0] as DeliveryRow, attempt(500), Date.now())];
    await storeResults(world, results);
    expect(await world.deliveries(id)).toMatchObject([{ state: 'claimed', claimed_by: 'ins_b', attempts: 0 }]);
  });

  it('disable an endpoint that responds 410 Gone, with an alert that does not contain the path of its URL', async () => {
    const { world, id, rows, webhook } = await prepared(1);
    const results = [resultOf(webhook, rows[0] as DeliveryRow, attempt(410), Date.now())];
    expect(await storeResults(world, results)).toBe(true);
    expect(await world.states(id)).toEqual(['dead']);
    expect(await world.webhook(id)).toMatchObject({ status: 'disabled', disabled_reason: 'gone' });
    const [alert] = await createAlerts(world.database, systemClock, silentLog).listOpen();
    expect(alert).toMatchObject({ kind: 'webhook_disabled', subject: id, message: 'shop.example responded 410 Gone.' });
  });

  it('disable an endpoint that responds 410 Gone to a test event, too', async () => {
    const { world, id, rows, webhook } = await prepared(1);
    const test = { ...(rows[0] as DeliveryRow), event_type: 'webhook_test' };
    expect(await storeResults(world, [resultOf(webhook, test, attempt(410), Date.now())])).toBe(true);
    expect(await world.states(id)).toEqual(['dead']);
    expect(await world.webhook(id)).toMatchObject({ status: 'disabled', disabled_reason: 'gone', failures: 0 });
  });

  it.each([
    [3 * DAY - 60, 'active'],
    [3 * DAY, 'disabled'],
  ])('after %i seconds of failures leave the endpoint %s', async (seconds, status) => {
    const { world, id, rows, webhook } = await prepared(1);
    await world.execute('UPDATE webhook SET failing_since = $2, failures = 1 WHERE id = $1', id, Math.floor(Date.now() / 1000) - seconds);
    const results = [resultOf(webhook, rows[0] as DeliveryRow, attempt(500), Date.now())];
    await storeResults(world, results);
    expect((await world.webhook(id)).status).toBe(status);
  });

  it('end a delivery after three days of retries, counted from when its webhook was resumed', async () => {
    const { world, id, rows, webhook } = await prepared(2);
    const [first, second] = rows as [DeliveryRow, DeliveryRow];
    const long = { first_attempt_ms: Date.now() - 3 * DAY * 1000, attempts: 20 };
    const old = { ...webhook, active_since: webhook.active_since - 10 * DAY };
    const ended = resultOf(old, { ...first, ...long }, attempt(500), Date.now());
    expect(ended.row).toMatchObject({ state: 'dead', due_at_ms: null });
    await storeResults(world, [ended, resultOf(webhook, { ...second, ...long }, attempt(500), Date.now())]);
    expect(await world.states(id)).toEqual(['dead', 'retrying']);
  });

  it('of a test that fails, or of an event that was not sent, say nothing about outages', async () => {
    const { world, id, webhook, rows } = await prepared(2);
    const [test, event] = rows as [DeliveryRow, DeliveryRow];
    const results = [
      resultOf(webhook, { ...test, event_type: 'webhook_test' }, attempt(500), Date.now()),
      resultOf(webhook, event, attempt(null), Date.now(), false),
    ];
    await storeResults(world, results);
    expect(await world.webhook(id)).toMatchObject({ failures: 0, failing_since: null });
    expect(await world.states(id)).toEqual(['dead', 'retrying']);
  });

  it('count failures after the last success', async () => {
    const { world, id, rows, webhook } = await prepared(3);
    await storeResults(
      world,
      rows.map((row, index) => resultOf(webhook, row, attempt(index === 0 ? 200 : 500), Date.now())),
    );
    expect(await world.states(id)).toEqual(['delivered', 'retrying', 'retrying']);
    expect(await world.webhook(id)).toMatchObject({ failures: 2, last_success_at: expect.any(Number) });
  });

  it('that disable an endpoint note the newest event, and later events get no delivery', async () => {
    const { world, id, rows, webhook } = await prepared(1);
    const newest = rows[0]?.event_position;
    await storeResults(world, [resultOf(webhook, rows[0] as DeliveryRow, attempt(410), Date.now())]);
    expect(await world.webhook(id)).toMatchObject({ missed_after: newest });
    await world.insertEvents(3);
    expect(await world.states(id)).toEqual(['dead']);
  });
});
