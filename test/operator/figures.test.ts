import { expect, it } from 'vitest';
import { statement } from '../../src/core/db/statement.ts';
import type { ListPart } from '../../src/core/kernel/list.ts';
import { storeFailedBackup, storeLastBackup } from '../../src/features/backup/last-backup.ts';
import { findRecord } from '../../src/features/operator/action-object.ts';
import { coverPercent, readHistory } from '../../src/features/operator/cover-object.ts';
import { readOverview } from '../../src/features/operator/overview-object.ts';
import { findOperatorPayment, listPendingPayments } from '../../src/features/operator/payment-object.ts';
import { listSuspense } from '../../src/features/operator/suspense-routes.ts';
import { requestReconciliation } from '../../src/features/reconcile/requests.ts';
import { onBothDatabases } from '../support/ledger.ts';
import { NODE_ID } from '../support/modules.ts';
import { operatorOn } from './operator-on.ts';

const age = statement('test_age', 'UPDATE payment SET created_at = $2 WHERE id = $1');
const settleAt = statement('test_settle_at', 'UPDATE unmatched_settlement SET settled_at = $2 WHERE payment_hash = $1');
const finish = statement('test_finish', `UPDATE reconciliation SET state = 'done', report = $2 WHERE id = $1`);
const sampleNode = statement('test_sample_node', 'INSERT INTO node_sample (hour, node_id, sampled_at, node_msat) VALUES ($1, $2, $3, $4)');
const sampleLedger = statement(
  'test_sample_ledger',
  'INSERT INTO ledger_sample (hour, sampled_at, customers_msat, suspense_msat) VALUES ($1, $2, $3, 0)',
);
const addSuspense = statement('test_add_suspense', 'UPDATE ledger_sample SET suspense_msat = $2 WHERE hour = $1');
const insertWebhook = statement(
  'test_insert_webhook',
  `INSERT INTO webhook (id, account_id, url, user_label, status, created_at, updated_at, active_since, secrets, key_id)
   VALUES ($1, $2, 'https://shop.example', '', $3, 1, 1, 1, '[]', '')`,
);
const insertDelivery = statement(
  'test_insert_delivery',
  `INSERT INTO webhook_delivery (webhook_id, event_position, event_created_at_ms, event_type, ordering_key, created_at_ms, state, due_at_ms, ended_at_ms)
   VALUES ($1, 1, 1, 'ln_payment', '', 1, $2, $3, $4)`,
);
const HOUR = 3600;

onBothDatabases('the list of pending payments', (open) => {
  it('has those of all wallets, oldest first, or only the stuck ones', async () => {
    const { deps, pendingPayment, healthy, wallet } = await operatorOn(await open());
    const clock = { nowMs: () => 2_000_000_000_000 };
    const payments = [await pendingPayment(10_000), await pendingPayment(20_000), await pendingPayment(30_000)];
    const now = 2_000_000_000;
    await healthy.transaction(async (tx) => {
      for (const [index, { id }] of payments.entries()) await tx.run(age, id, now - 100 * index);
    });
    const listOf = (status: 'pending' | 'stuck') => listPendingPayments({ ...deps, clock, stuckPaymentSeconds: 100 }, status);
    const list = (status: 'pending' | 'stuck') => listOf(status).readPage({ limit: 10, order: 'asc' });
    const [first, second, third] = payments;
    expect((await list('pending')).items.map(({ id, age_seconds, is_stuck }) => [id, age_seconds, is_stuck])).toEqual([
      [first?.id, 0, false],
      [second?.id, 100, true],
      [third?.id, 200, true],
    ]);
    expect((await list('stuck')).items.map(({ id }) => id)).toEqual([second?.id, third?.id]);
    expect(await listOf('stuck').count(10)).toBe(2);
    expect((await listOf('stuck').readPage({ limit: 1, order: 'asc', after: second?.id })).items).toMatchObject([{ id: third?.id }]);
    expect(await listOf('stuck').readPage({ limit: 1, order: 'desc' })).toMatchObject({ items: [{ id: third?.id }], next: third?.id });
    expect((await list('pending')).items[0]).toMatchObject({
      wallet_id: wallet.id,
      wallet_label: 'test',
      ln_node_id: NODE_ID,
      num_msat: 10_000,
      held_msat: 11_000,
      is_keysend: false,
      is_internal: false,
      status: 'pending',
      failure_reason: null,
      evidence: null,
    });
  });

  it('has no payment that has ended, which can still be read', async () => {
    const { deps, pendingPayment, net, settle } = await operatorOn(await open());
    const payment = await pendingPayment();
    net.outside.resolveHold(payment.paymentHash, 'cancel');
    await settle();
    await expect.poll(async () => (await deps.payments.find(payment.id))?.state).toBe('failed');
    const modules = { ...deps, stuckPaymentSeconds: 0 };
    expect((await listPendingPayments(modules, 'pending').readPage({ limit: 10, order: 'asc' })).items).toEqual([]);
    expect(await findOperatorPayment(modules, payment.id)).toMatchObject({
      status: 'failed',
      is_stuck: false,
      failure_reason: expect.any(String),
    });
    expect(await findOperatorPayment(modules, 'lntx_unknown')).toBeUndefined();
  });

  it('shows what the last reconciliation found at the node, if it looked the payment up', async () => {
    const { deps, pendingPayment, healthy } = await operatorOn(await open());
    const [known, other] = [await pendingPayment(), await pendingPayment()];
    const id = await healthy.transaction((tx) => requestReconciliation(tx, 'full', 1, { requestedBy: 'bob@desk', reason: 'a test' }));
    const facts = [{ fact: 'No channel has an HTLC.', holds: true, detail: '0 HTLCs' }];
    const evidence = { checked_at: 77, node_state: 'pending', facts, proves_failure: true };
    const report = { nodes: [], evidence: { [known.id]: evidence } };
    await healthy.transaction((tx) => tx.run(finish, id, JSON.stringify(report)));
    const { items } = await listPendingPayments({ ...deps, stuckPaymentSeconds: 0 }, 'pending').readPage({
      limit: 10,
      order: 'asc',
    });
    expect(items.map((one) => one.evidence)).toEqual([evidence, null]);
    expect((await findOperatorPayment({ ...deps, stuckPaymentSeconds: 0 }, other.id))?.evidence).toBeNull();
  });
});

onBothDatabases('the list of money in suspense', (open) => {
  it('has pages, newest first, of what is left or of all, with what operators did', async () => {
    const { healthy, unmatched, act, wallet } = await operatorOn(await open());
    const hashes: string[] = [];
    for (let i = 0; i < 4; i++) hashes.unshift((await unmatched('credit', 1_000 * (i + 1))).subject);
    await healthy.transaction(async (tx) => {
      // The last two arrived in the same second.
      for (const [index, hash] of hashes.entries()) await tx.run(settleAt, hash, 1_000 - Math.min(index, 2));
    });
    hashes.splice(2, 2, ...hashes.slice(2).sort().reverse());
    const credited = hashes[1] ?? '';
    const refused = await act({ kind: 'credit', subject: credited, target: 'wal_0' });
    const done = await act({ kind: 'credit', subject: credited, target: wallet.id });
    const read = (status: 'open' | 'all', part: Partial<ListPart> = {}) =>
      listSuspense(healthy, status).readPage({ limit: 10, order: 'desc', ...part });
    const left = hashes.filter((hash) => hash !== credited);
    expect((await read('open')).items.map(({ id }) => id)).toEqual(left);
    expect((await read('open', { order: 'asc' })).items.map(({ id }) => id)).toEqual(left.toReversed());
    expect([await listSuspense(healthy, 'open').count(10), await listSuspense(healthy, 'all').count(10)]).toEqual([3, 4]);
    const all = await read('all', { limit: 2, after: hashes[0] });
    expect([all.next, all.items.map(({ id }) => id)]).toEqual([hashes[2], hashes.slice(1, 3)]);
    expect((await read('all', { after: hashes[2] })).items.map(({ id }) => id)).toEqual([hashes[3]]);
    await expect(read('all', { after: 'x' })).rejects.toMatchObject({ type: 'validation_failed' });
    expect(all.items[0]).toEqual({
      id: credited,
      num_msat: 3_000,
      left_msat: 0,
      created_at: 999,
      ln_node_id: NODE_ID,
      is_keysend: false,
      actions: [await findRecord(healthy, refused.id), await findRecord(healthy, done.id)],
    });
  });
});

onBothDatabases('the overview', (open) => {
  it('adds up what is pending and owed, and knows no assets before a node was measured', async () => {
    const { deps, pendingPayment, unmatched, healthy } = await operatorOn(await open());
    const before = await readOverview(deps);
    expect(before).toMatchObject({
      ...{ assets_msat: null, assets_at: null, own_msat: null, difference_msat: null, num_suspense: 0 },
      ...{ pending_payments: 0, in_flight_msat: 0, oldest_pending_at: null },
    });
    const [first] = [await pendingPayment(10_000), await pendingPayment(20_000)];
    await unmatched('credit', 5_000);
    await healthy.transaction((tx) => tx.run(age, first.id, 1_000));
    const now = await readOverview(deps);
    const pending = { pending_payments: 2, in_flight_msat: 32_000, oldest_pending_at: 1_000 };
    expect(now).toMatchObject({ ...pending, num_suspense: 1, num_wallets: 1, suspense_msat: 5_000, liabilities_msat: 60_000 });
    expect(now.nodes).toMatchObject([{ ...pending, id: NODE_ID, held_msat: 65_000, draining: false, assets_msat: null, own_msat: null }]);
    expect(now.nodes[0]?.last_booked_at).toEqual(expect.any(Number));
  });

  it('has the last measured balance of each node, and its open alerts', async () => {
    const { deps, healthy, act } = await operatorOn(await open());
    await healthy.transaction(async (tx) => {
      await tx.run(sampleNode, 10, NODE_ID, 10 * HOUR, 7_000);
      await tx.run(sampleNode, 11, NODE_ID, 11 * HOUR + 5, 9_000);
    });
    await deps.alerts.raise({ kind: 'node_silent', subject: NODE_ID, message: 'no response' });
    await deps.alerts.raise({ kind: 'payment_stuck', subject: 'lntx_1', message: 'pending' });
    await act({ kind: 'drain', subject: NODE_ID });
    const { nodes, ...all } = await readOverview(deps);
    expect(all).toMatchObject({ assets_msat: 9_000, assets_at: 11 * HOUR + 5, own_msat: 9_000, difference_msat: null, open_alerts: 2 });
    expect(all.alerts_by_kind.map(({ kind, count }) => [kind, count]).toSorted()).toEqual([
      ['node_silent', 1],
      ['payment_stuck', 1],
    ]);
    expect(nodes).toMatchObject([{ open_alerts: 1, draining: true, assets_msat: 9_000, assets_at: 11 * HOUR + 5 }]);
  });

  it('shows a node that does not answer as unavailable, with the reason', async () => {
    const { deps, net } = await operatorOn(await open());
    expect((await readOverview(deps)).nodes[0]).toMatchObject({ status: 'ready', status_reason: null });
    net.always('info', { unavailable: true });
    expect((await readOverview(deps)).nodes[0]).toMatchObject({ status: 'unavailable', status_reason: expect.any(String) });
  });

  it('counts the webhooks of all accounts, and the deliveries of active ones that wait, that have failed, and that were given up in the last day', async () => {
    const { deps, healthy, accountId } = await operatorOn(await open());
    const nowMs = 2_000_000_000_000;
    await healthy.transaction(async (tx) => {
      for (const [id, status] of [
        ['whk_1', 'active'],
        ['whk_2', 'active'],
        ['whk_3', 'paused'],
      ] as const)
        await tx.run(insertWebhook, id, accountId, status);
      for (const [webhook, state, dueAt, endedAt] of [
        ['whk_1', 'retrying', 5, null],
        ['whk_1', 'held', null, null],
        ['whk_2', 'queued', null, null],
        ['whk_2', 'delivered', null, 6],
        ['whk_3', 'retrying', 5, null],
        ['whk_1', 'dead', null, nowMs - 24 * HOUR * 1000],
        ['whk_3', 'dead', null, nowMs - 1],
        ['whk_1', 'dead', null, nowMs - 24 * HOUR * 1000 - 1],
        ['whk_1', 'cancelled', null, nowMs - 1],
      ] as const)
        await tx.run(insertDelivery, webhook, state, dueAt, endedAt);
    });
    expect((await readOverview({ ...deps, clock: { nowMs: () => nowMs } })).webhooks).toEqual({
      active: 2,
      disabled: 0,
      waiting: 3,
      retrying: 1,
      failed_24h: 2,
    });
  });

  it('has the last ten backups with their result, newest first', async () => {
    const { deps, healthy } = await operatorOn(await open());
    for (let i = 0; i < 9; i++) await storeFailedBackup(healthy, 1_000 + i, 1_000 + i, 'no space');
    for (const at of [2_000, 3_000]) await storeLastBackup(healthy, { createdAt: at, file: 'x', bytes: 5 }, at + 4);
    const { backups, last_backup_at } = await readOverview(deps);
    expect([backups.length, last_backup_at]).toEqual([10, 3_000]);
    expect(backups[0]).toEqual({ started_at: 3_000, ended_at: 3_004, status: 'checked', bytes: 5, failure: null });
    expect(backups[2]).toEqual({ started_at: 1_008, ended_at: 1_008, status: 'failed', bytes: null, failure: 'no space' });
  });

  it('has the time of the last answer of a node, how long it took, and its view of the chain, also while it is down', async () => {
    const { deps, net } = await operatorOn(await open());
    const before = Math.floor(Date.now() / 1000);
    const [node] = (await readOverview(deps)).nodes;
    expect(node).toMatchObject({ answer_ms: expect.any(Number), median_answer_ms: expect.any(Number), block_height: 101, is_synced: true });
    expect(node?.answered_at).toBeGreaterThanOrEqual(before);
    net.always('info', { unavailable: true });
    const { answer_ms, answered_at, block_height } = (await readOverview(deps)).nodes[0] ?? {};
    expect({ answer_ms, answered_at, block_height }).toEqual({
      answer_ms: node?.answer_ms,
      answered_at: node?.answered_at,
      block_height: 101,
    });
  });
});

onBothDatabases('the history of balances', (open) => {
  it('has the last sample of each step, and the last known balance of a node that was not measured', async () => {
    const { deps, healthy } = await operatorOn(await open());
    const clock = { nowMs: () => 2_000_000_000_000 };
    const now = Math.floor(2_000_000_000 / HOUR);
    await healthy.transaction(async (tx) => {
      for (const back of [800, 50, 12, 11, 1, 0]) await tx.run(sampleLedger, now - back, (now - back) * HOUR, back + 1);
      for (const back of [900, 12, 0]) await tx.run(sampleNode, now - back, NODE_ID, (now - back) * HOUR, 10 * back);
    });
    const history = async (period: Parameters<typeof readHistory>[1]) => readHistory({ ...deps, clock }, period);
    expect((await history('day')).map(({ at, assets_msat, is_complete }) => [now - at / HOUR, assets_msat, is_complete])).toEqual([
      [12, 120, true],
      [11, 120, false],
      [1, 120, false],
      [0, 0, true],
    ]);
    expect((await history('week')).map(({ liabilities_msat }) => liabilities_msat)).toEqual([51, 13, 12, 2, 1]);
    const year = await history('year');
    expect(year[0]).toMatchObject({ at: (now - 800) * HOUR, assets_msat: 9_000, liabilities_msat: 801, is_complete: false });
    // One sample a day remains of a year, and one in six hours of a month.
    expect(new Set(year.map(({ at }) => Math.floor(at / HOUR / 24))).size).toBe(year.length);
    const month = await history('month');
    expect(new Set(month.map(({ at }) => Math.floor(at / HOUR / 6))).size).toBe(month.length);
  });

  it('has the cover of an hour: what was on the nodes and owed at its sample, suspense included, rounded down', async () => {
    const { deps, healthy } = await operatorOn(await open());
    const clock = { nowMs: () => 2_000_000_000_000 };
    const now = Math.floor(2_000_000_000 / HOUR);
    await healthy.transaction(async (tx) => {
      await tx.run(sampleLedger, now - 3, (now - 3) * HOUR, 1_000);
      await tx.run(sampleNode, now - 2, NODE_ID, (now - 2) * HOUR, 2_999);
      await tx.run(sampleLedger, now - 2, (now - 2) * HOUR, 1_900);
      await tx.run(addSuspense, now - 2, 100);
      await tx.run(sampleNode, now - 1, NODE_ID, (now - 1) * HOUR, 1_999);
      await tx.run(sampleLedger, now - 1, (now - 1) * HOUR, 2_000);
      await tx.run(sampleLedger, now, now * HOUR, 0);
    });
    const samples = await readHistory({ ...deps, clock }, 'day');
    expect(samples.map(({ owed_msat, cover_percent }) => [owed_msat, cover_percent])).toEqual([
      [1_000, null],
      [2_000, 149],
      [2_000, 99],
      [0, null],
    ]);
  });

  it('has the lowest cover of all hours in a longer step, not only that of its last hour', async () => {
    const { deps, healthy } = await operatorOn(await open());
    const now = Math.floor(2_000_000_000 / HOUR / 24) * 24 + 23;
    const clock = { nowMs: () => now * HOUR * 1000 };
    await healthy.transaction(async (tx) => {
      for (const [back, nodeMsat] of [
        [3, 900],
        [2, 300],
        [1, 1_500],
      ] as const) {
        await tx.run(sampleNode, now - back, NODE_ID, (now - back) * HOUR, nodeMsat);
        await tx.run(sampleLedger, now - back, (now - back) * HOUR, 500);
      }
    });
    for (const period of ['month', 'year'] as const)
      expect(await readHistory({ ...deps, clock }, period)).toMatchObject([{ cover_percent: 300, lowest_cover_percent: 60 }]);
    expect((await readHistory({ ...deps, clock }, 'day')).map((one) => one.lowest_cover_percent)).toEqual([180, 60, 300]);
  });

  it('has a cover of amounts whose product is no safe integer', () => {
    expect(coverPercent(2_100_000_000_000_000, 2_100_000_000_000_001)).toBe(99);
    expect(coverPercent(2_100_000_000_000_000, 2_100_000_000_000_000)).toBe(100);
  });
});
