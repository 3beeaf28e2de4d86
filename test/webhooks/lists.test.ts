import { expect, it } from 'vitest';
import type { List } from '../../src/core/kernel/list.ts';
import type { DeliveryRow } from '../../src/features/webhooks/deliveries.sql.ts';
import { DELIVERY_STATES, deliveryId, renderDelivery, stateOf } from '../../src/features/webhooks/webhook-object.ts';
import { onBothDatabases } from '../support/ledger.ts';
import { worldOn } from './harness.ts';

/** Each state of a row, with the columns that it needs, and its state in the API. */
const ROWS = [
  ['queued', {}, 'queued'],
  ['held', {}, 'queued'],
  ['claimed', { claimed_by: 'ins_a' }, 'queued'],
  ['claimed', { claimed_by: 'ins_a', attempts: 2 }, 'retrying'],
  ['queued', { attempts: 1 }, 'retrying'],
  ['retrying', { due_at_ms: 5, attempts: 1 }, 'retrying'],
  ['delivered', { ended_at_ms: 5, attempts: 1 }, 'delivered'],
  ['dead', { ended_at_ms: 5, attempts: 9 }, 'dead'],
  ['cancelled', { ended_at_ms: 5 }, 'cancelled'],
] as const;

async function readAll(list: List<DeliveryRow>, order: 'asc' | 'desc'): Promise<string[]> {
  const listed: string[] = [];
  for (let after: string | undefined; ; ) {
    const { items, next } = await list.readPage({ limit: 2, order, after });
    listed.push(...items.map(deliveryId));
    after = next;
    if (after === undefined) return listed;
  }
}

onBothDatabases('lists of deliveries', (open) => {
  it('select a state of the API, in both orders, page by page, and count', async () => {
    const world = await worldOn(await open());
    const [id, other] = [await world.addWebhook(), await world.addWebhook()];
    const { webhooks } = world.start({ post: async () => ({ status: 200, text: '' }) });
    await world.execute("UPDATE webhook SET status = 'paused' WHERE account_id = $1", world.accountId);
    await world.insertEvents(ROWS.length * 3);
    for (const [index, { position }] of (await world.deliveries(id)).entries()) {
      const [state, columns] = ROWS[index % ROWS.length] ?? ROWS[0];
      const all = { claimed_by: null, due_at_ms: null, ended_at_ms: null, attempts: 0, ...columns };
      await world.execute(
        'UPDATE webhook_delivery SET state = $2, claimed_by = $3, due_at_ms = $4, ended_at_ms = $5, attempts = $6 WHERE position = $1',
        position,
        state,
        all.claimed_by,
        all.due_at_ms,
        all.ended_at_ms,
        all.attempts,
      );
    }
    const rows = await world.deliveries(id);
    const waiting = rows.filter((row) => renderDelivery(row).waits_for_earlier);
    expect(waiting.map(({ state }) => state)).toEqual(['held', 'held', 'held']);
    for (const state of [...DELIVERY_STATES, undefined]) {
      const list = webhooks.deliveries(id, state);
      const expected = rows.filter((row) => state === undefined || stateOf(row) === state).map(deliveryId);
      expect(await list.count(1000)).toBe(expected.length);
      expect(await list.count(2)).toBe(2);
      for (const order of ['asc', 'desc'] as const) {
        expect(await readAll(list, order)).toEqual(order === 'asc' ? expected : expected.toReversed());
      }
    }
    expect(await webhooks.deliveries(other, 'queued').count(1000)).toBe(rows.length);
    for (const state of ['queued', 'dead', undefined] as const) {
      const all = [...rows, ...(await world.deliveries(other))].sort((a, b) => a.position - b.position);
      const expected = all.filter((row) => state === undefined || stateOf(row) === state).map(deliveryId);
      const list = webhooks.deliveriesOfAccount(world.accountId, state);
      expect(await list.count(1000)).toBe(expected.length);
      expect(await list.count(2)).toBe(2);
      expect(await readAll(list, 'asc')).toEqual(expected);
      expect(await readAll(list, 'desc')).toEqual(expected.toReversed());
    }
    expect(await readAll(webhooks.deliveriesOfAccount('acc_other', undefined), 'desc')).toEqual([]);
  });

  it('select the deliveries of an invoice or a payment to the webhooks of an account', async () => {
    const database = await open();
    const [world, stranger] = [await worldOn(database), await worldOn(database)];
    const ids = [await world.addWebhook(), await world.addWebhook()];
    const { webhooks } = world.start({ post: async () => ({ status: 200, text: '' }) });
    await world.insertEvents(2, { walletId: world.wallets[0], lntx: 'lntx_1' });
    await world.insertEvents(1, { walletId: world.wallets[0], lntx: 'lntx_2' });
    const list = webhooks.deliveriesOfLightning(world.accountId, 'lntx_1');
    const { items, next } = await list.readPage({ limit: 3, order: 'desc' });
    expect(items).toHaveLength(3);
    const rest = await list.readPage({ limit: 3, order: 'desc', after: next });
    expect(new Set([...items, ...rest.items].map(({ webhook_id }) => webhook_id))).toEqual(new Set(ids));
    expect([...items, ...rest.items].map(({ position }) => position)).toEqual(
      (await Promise.all(ids.map((id) => world.deliveries(id))))
        .flat()
        .filter(({ lntx }) => lntx === 'lntx_1')
        .map(({ position }) => position)
        .toSorted((a, b) => b - a),
    );
    expect(await list.count(10)).toBe(4);
    expect(await webhooks.deliveriesOfLightning(stranger.accountId, 'lntx_1').count(10)).toBe(0);
  });

  it('reject a cursor that is not the id of a delivery', async () => {
    const world = await worldOn(await open());
    const id = await world.addWebhook();
    const { webhooks } = world.start({ post: async () => ({ status: 200, text: '' }) });
    for (const after of ['', 'whd_1', 'whd_00000000000000000', 'evt_0000000000000000'])
      await expect(webhooks.deliveries(id, undefined).readPage({ limit: 1, order: 'asc', after })).rejects.toMatchObject({
        type: 'validation_failed',
      });
  });
});
