import { expect, it } from 'vitest';
import { unmatchedMoney } from '../operator/unmatched-money.ts';
import { MEASURES_AT_ONCE, onFakeNode, onTwoFakeNodes } from '../support/app.ts';
import type { Json } from '../support/client.ts';

onFakeNode(
  'the figures for operators',
  (service, dialect) => {
    const { net } = service;
    const overview = (): Promise<Json> => service.client.get('/v1/operator/overview');

    async function pending(script: object, num = 500): Promise<Json> {
      const payer = await service.client.wallet(2 * num);
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: num * 1000, script: { fee: 0, ...script } });
      const json = { payment_request: paymentRequest, fee_limit_msat: 10_000 };
      const headers = { prefer: 'respond-async' };
      const sent = await service.client.request('POST', `/v1/wallet/${payer.id}/withdraw`, { key: payer.admin, json, headers });
      expect(sent.status).toBe(202);
      const { id } = sent.body.lnTx;
      await expect.poll(() => net.state().outgoing[id]?.outcome.state).toBe('pending');
      return { id, walletId: payer.id, paymentHash };
    }

    it('add up: nodes, wallets, suspense, payments in flight', async () => {
      const before = await overview();
      await service.client.wallet(1_000);
      await unmatchedMoney(service, 7_000);
      const { id, paymentHash } = await pending({ hold: true });
      await service.reconcile();
      const now = await overview();
      expect(now.liabilities_msat - before.liabilities_msat).toBe(2_000_000);
      expect(now).toMatchObject({
        suspense_msat: 7_000,
        num_suspense: 1,
        pending_payments: 1,
        in_flight_msat: 510_000,
        difference_msat: 0,
      });
      expect(now.num_wallets - before.num_wallets).toBe(2);
      expect(now.oldest_pending_at).toBe((await service.client.get(`/v1/lntx/${id}`)).created_at);
      const [node] = now.nodes;
      expect(now.nodes).toHaveLength(1);
      expect(node).toMatchObject({ status: 'ready', network: 'regtest', draining: false, incomplete_reason: null, pending_payments: 1 });
      expect(node.assets_msat).toBe(now.assets_msat);
      expect(node.held_msat).toBe(now.liabilities_msat + now.suspense_msat + now.service_fees_msat - now.operator_costs_msat);
      expect(now.own_msat).toBe(now.assets_msat - now.liabilities_msat - now.suspense_msat);
      for (const at of [node.assets_at, node.reconciled_at, node.last_booked_at]) expect(now.at - at).toBeLessThan(3600);
      net.outside.resolveHold(paymentHash, 'cancel');
      await expect.poll(async () => (await overview()).pending_payments).toBe(0);
    });

    it('show the last known balance of a node that does not answer', async () => {
      await service.reconcile();
      const known = await overview();
      for (const call of ['info', 'balance'] as const) net.always(call, { unavailable: true });
      const report = await service.reconcile();
      expect(report.incomplete_reason).not.toBeNull();
      const [node] = (await overview()).nodes;
      expect(node).toMatchObject({ status: 'unavailable', assets_msat: known.nodes[0].assets_msat, difference_msat: null });
      expect(node.status_reason).toEqual(expect.any(String));
      expect(node.incomplete_reason).toEqual(report.incomplete_reason);
      for (const call of ['info', 'balance'] as const) net.always(call, undefined);
      await service.reconcile();
      await expect.poll(async () => (await overview()).nodes[0].status).toBe('ready');
    });

    it('are sampled for the history', async () => {
      await service.reconcile();
      const now = await overview();
      for (const period of ['day', 'week', 'month', 'year']) {
        const samples: Json[] = await service.client.get(`/v1/operator/history?period=${period}`);
        expect(samples.at(-1)).toMatchObject({
          assets_msat: now.assets_msat,
          liabilities_msat: now.liabilities_msat,
          suspense_msat: now.suspense_msat,
          is_complete: true,
        });
      }
      const hour = Math.floor(now.at / 3600) - 30;
      await service.execute(
        'INSERT INTO ledger_sample (hour, sampled_at, customers_msat, suspense_msat) VALUES ($1, $2, 5000, 0)',
        hour,
        hour * 3600,
      );
      await service.execute(
        'INSERT INTO node_sample (hour, node_id, sampled_at, node_msat) VALUES ($1, $2, $3, 9000)',
        hour - 1,
        now.nodes[0].id,
        hour * 3600 - 3600,
      );
      const [oldest] = await service.client.get('/v1/operator/history?period=week');
      expect(oldest).toEqual({
        ...{ at: hour * 3600, assets_msat: 9_000, liabilities_msat: 5_000, suspense_msat: 0, owed_msat: 5_000 },
        ...{ cover_percent: 180, lowest_cover_percent: 180, is_complete: false },
      });
      expect((await service.client.get('/v1/operator/history?period=day'))[0].at).not.toBe(hour * 3600);
    });

    it('list money in suspense with its origin', async () => {
      const hash = await unmatchedMoney(service, 9_000);
      const listed: Json[] = await service.client.get('/v1/operator/suspense');
      const [node] = (await overview()).nodes;
      expect(listed.find(({ id }) => id === hash)).toMatchObject({
        num_msat: 9_000,
        left_msat: 9_000,
        ln_node_id: node.id,
        is_keysend: false,
        actions: [],
      });
    });

    it('list stuck payments with the evidence of the node', async () => {
      const { id, walletId } = await pending({ stuck: true });
      const find = async () => (await service.client.get('/v1/operator/payments')).find((one: Json) => one.id === id);
      await service.reconcile();
      expect(await find()).toMatchObject({
        wallet_id: walletId,
        wallet_label: 'test',
        num_msat: 500_000,
        held_msat: 510_000,
        is_stuck: true,
        is_internal: false,
        evidence: {
          node_state: 'pending',
          proves_failure: true,
          facts: expect.arrayContaining([{ fact: expect.stringContaining('HTLC'), holds: true, detail: '0 HTLCs' }]),
        },
      });
      await service.act({ kind: 'resolve', subject: id, target: 'failed' });
      expect(await find()).toBeUndefined();
      const [action] = await service.client.get('/v1/operator/actions?per-page=1');
      expect(action).toMatchObject({ kind: 'resolve', status: 'done', subject: id, requested_by: 'bob@desk', reason: 'a test' });
    });

    it('list alerts by status, with the remedy', async () => {
      const { id, paymentHash } = await pending({ hold: true });
      await service.reconcile();
      const list = async (query = '') =>
        (await service.client.get(`/v1/operator/alerts${query}`)).find(({ subject }: Json) => subject === id);
      expect(await list()).toMatchObject({
        kind: 'payment_stuck',
        status: 'open',
        resolved_at: null,
        remedy: expect.stringContaining('Look up'),
      });
      net.outside.resolveHold(paymentHash, 'cancel');
      await expect.poll(async () => (await service.client.get(`/v1/lntx/${id}`)).status).toBe('failed');
      await service.reconcile();
      expect(await list()).toBeUndefined();
      expect(await list('?status=resolved')).toMatchObject({ status: 'resolved', resolved_at: expect.any(Number) });
      expect(await list('?status=all')).toMatchObject({ status: 'resolved' });
    });

    it('list reconciliations with the comparison of each node', async () => {
      const report = await service.reconcile();
      const [newest] = await service.client.get('/v1/operator/reconciliations?per-page=1');
      expect(newest).toMatchObject({ id: report.id, scope: 'full', status: 'done', requested_by: 'bob@desk', reason: 'a test' });
      const [comparison] = newest.nodes;
      expect(comparison).toMatchObject({ ln_node_id: report.ln_node_id, balance_status: 'measured', difference_msat: 0 });
      const { baseline_msat, customers_msat, service_fees_msat, suspense_msat, operator_costs_msat, other_nodes_msat } = comparison;
      expect(baseline_msat + customers_msat + service_fees_msat + suspense_msat - operator_costs_msat - other_nodes_msat).toBe(
        comparison.expected_msat,
      );
      expect(await service.client.get(`/v1/operator/reconciliations/${newest.id}`)).toEqual(newest);
      const unknown = await service.client.request('GET', '/v1/operator/reconciliations/rec_0', { key: service.client.secretKey });
      expect(unknown.status).toBe(404);
    });

    it('show the instances, their leases and the limits', async () => {
      const names = async () => (await service.client.get('/v1/operator/instances')).leases.map(({ name }: Json) => name);
      if (dialect === 'postgres') await expect.poll(names).toContain('reconcile');
      const { instances, leases } = await service.client.get('/v1/operator/instances');
      expect(instances).toEqual([expect.objectContaining({ pid: process.pid, is_this: true })]);
      if (dialect === 'sqlite') expect(leases).toEqual([]);
      else {
        const held = leases.filter(({ is_held }: Json) => is_held);
        expect(held.length).toBeGreaterThan(1);
        for (const { instance_id, renewed_at, expires_at } of held)
          expect([instance_id, expires_at - renewed_at]).toEqual([instances[0].id, 6]);
      }
      const limits: Json[] = await service.client.get('/v1/operator/limits');
      expect(limits.find(({ setting }) => setting === 'STUCK_PAYMENT_SECONDS')).toMatchObject({ value: 0, unit: 'seconds' });
    });

    it('keep the books balanced', async () => {
      expect(await service.problems()).toEqual([]);
    });
  },
  { STUCK_PAYMENT_SECONDS: '0' },
  MEASURES_AT_ONCE,
);

onTwoFakeNodes('the figures of two nodes', (service, dialect) => {
  const { client, nets } = service;
  const overview = (): Promise<Json> => client.get('/v1/operator/overview');

  it('add up, and those of one that is away are the last known', async () => {
    const { nodes } = await overview();
    const wallets: Json[] = [];
    for (const { id } of nodes) wallets.push(await client.post('/v1/wallet', { ln_node_id: id }));
    for (const [index, { id }] of wallets.entries()) {
      const { payment_request } = await client.post(`/v1/wallet/${id}/invoice`, { num_satoshis: 1000 * (index + 1) });
      await nets[index as 0 | 1].outside.pay({ paymentRequest: payment_request });
    }
    await expect.poll(async () => (await overview()).liabilities_msat).toBe(3_000_000);
    await client.post(`/v1/wallet/${wallets[1].id}/transfer`, { dest_wallet_id: wallets[0].id, num_satoshis: 500 });
    await service.reconcileAll();
    const known = await overview();
    expect(known.nodes.map(({ held_msat, position_msat, num_wallets }: Json) => [held_msat, position_msat, num_wallets])).toEqual([
      [1_000_000, -500_000, 1],
      [2_000_000, 500_000, 1],
    ]);
    expect(known).toMatchObject({ difference_msat: 0, assets_msat: known.nodes[0].assets_msat + known.nodes[1].assets_msat });
    for (const call of ['info', 'balance'] as const) nets[1].always(call, { unavailable: true });
    await service.reconcileAll();
    const away = await overview();
    expect(away.nodes.map(({ status }: Json) => status)).toEqual(['ready', 'unavailable']);
    expect(away).toMatchObject({ assets_msat: known.assets_msat, difference_msat: null, num_wallets: 2 });
    const samples: Json[] = await client.get('/v1/operator/history?period=day');
    expect(samples.at(-1)).toMatchObject({ assets_msat: known.assets_msat, liabilities_msat: 3_000_000 });
    for (const call of ['info', 'balance'] as const) nets[1].always(call, undefined);
    expect(await service.problems()).toEqual([]);
  });

  if (dialect === 'postgres')
    it('list each instance', async () => {
      const other = await service.another();
      const ids = async (of: typeof client) => (await of.get('/v1/operator/instances')).instances.map(({ id }: Json) => id);
      await expect.poll(() => ids(client)).toHaveLength(2);
      await expect.poll(() => ids(other)).toEqual(await ids(client));
      const own = (await other.get('/v1/operator/instances')).instances.filter(({ is_this }: Json) => is_this);
      expect(own).toHaveLength(1);
    });
});
