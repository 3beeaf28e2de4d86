import { expect, it } from 'vitest';
import { onTwoFakeNodes, type TwoNodesApp } from '../support/app.ts';
import type { TestWallet } from '../support/client.ts';

/** Creates a wallet on the first or the second node and pays money to it on that node's network. */
async function walletOn({ client, nets }: TwoNodesApp, index: 0 | 1, numSatoshis: number): Promise<TestWallet> {
  const nodes = await client.get('/v1/nodes');
  const made = await client.post('/v1/wallet', { user_label: 'test', ln_node_id: nodes[index].id });
  expect(made.ln_node_id).toBe(nodes[index].id);
  const wallet = { id: made.id, admin: made.access_keys['Wallet Admin'][0] } as TestWallet;
  if (numSatoshis > 0) {
    const { payment_request: paymentRequest } = await client.post(`/v1/wallet/${made.id}/invoice`, { num_satoshis: numSatoshis });
    await nets[index].outside.pay({ paymentRequest });
    await expect.poll(() => balanceOf(client, wallet)).toBe(numSatoshis);
  }
  return wallet;
}

const balanceOf = async (client: TwoNodesApp['client'], { id }: TestWallet) => (await client.get(`/v1/wallet/${id}`)).balance;

onTwoFakeNodes('two nodes behind one ledger', (app) => {
  const { client, nets, problems } = app;
  const nodeAccounts = () => app.rows('SELECT ledger_account, pubkey FROM lightning_node ORDER BY ledger_account DESC');
  const pay = (wallet: TestWallet, paymentRequest: string) =>
    client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, { key: client.secretKey, json: { payment_request: paymentRequest } });

  it('are added in the order of LIGHTNING_URL, each with its ledger account', async () => {
    const nodes = await client.get('/v1/nodes');
    expect(nodes).toHaveLength(2);
    const pubkeys = nodes.map(({ default_pubkey }: { default_pubkey: string }) => default_pubkey);
    expect(await nodeAccounts()).toEqual([
      { ledger_account: 1, pubkey: pubkeys[0] },
      { ledger_account: -1, pubkey: pubkeys[1] },
    ]);
    expect((await client.get('/v1/node/default')).id).toBe(nodes[0].id);
    expect((await client.get(`/v1/node/${nodes[1].id}`)).default_pubkey).toBe(pubkeys[1]);
  });

  it('share new wallets, and a wallet can be created on a named node', async () => {
    const made = [];
    for (let i = 0; i < 4; i++) made.push((await client.post('/v1/wallet', {})).ln_node_id);
    expect(new Set(made).size).toBe(2);
    expect((await client.request('POST', '/v1/wallet', { key: client.secretKey, json: { ln_node_id: 'lnd_other' } })).body).toMatchObject({
      type: 'validation_failed',
      message: expect.stringContaining('ln_node_id'),
    });
  });

  it('each receive for their wallets and send for them', async () => {
    const wallets = [await walletOn(app, 0, 1000), await walletOn(app, 1, 2000)] as const;
    for (const index of [0, 1] as const) {
      const { paymentRequest } = nets[index].outside.invoice({ amountMsat: 100_000, script: { fee: 1000 } });
      const { status, body } = await pay(wallets[index], paymentRequest);
      expect(status).toBe(201);
      expect(body.lnTx.ln_node_id).toBe((await client.get(`/v1/wallet/${wallets[index].id}`)).ln_node_id);
    }
    expect(await balanceOf(client, wallets[0])).toBe(899);
    expect(await balanceOf(client, wallets[1])).toBe(1899);
    expect(await problems()).toEqual([]);
  });

  it('pay each other’s invoices inside, without a fee and without the network', async () => {
    const payer = await walletOn(app, 0, 1000);
    const payee = await walletOn(app, 1, 0);
    const sent = nets.map((net) => net.outside.payments().length);
    const { payment_request: paymentRequest } = await client.post(`/v1/wallet/${payee.id}/invoice`, { num_satoshis: 1000 });
    expect((await pay(payer, paymentRequest)).status).toBe(201);
    expect([await balanceOf(client, payer), await balanceOf(client, payee)]).toEqual([0, 1000]);
    expect(nets.map((net) => net.outside.payments().length)).toEqual(sent);
    // The invoice was cancelled at its own node, so no outside payer can pay it again.
    await nets[1].outside.pay({ paymentRequest });
    expect(await balanceOf(client, payee)).toBe(1000);
    expect(await problems()).toEqual([]);
  });

  it('are reconciled separately, and their positions add up', async () => {
    const before = await app.reconcileAll('new_baseline');
    const payer = await walletOn(app, 0, 500);
    const payee = await walletOn(app, 1, 0);
    const { payment_request: paymentRequest } = await client.post(`/v1/wallet/${payee.id}/invoice`, { num_satoshis: 500 });
    expect((await pay(payer, paymentRequest)).status).toBe(201);
    const { nodes } = await app.reconcileAll();
    for (const one of nodes) {
      expect(one).toMatchObject({
        incomplete_reason: null,
        contradictions: [],
        missed_settlements: [],
        balance_status: 'measured',
        difference_msat: 0,
      });
    }
    const positions = nodes.map(({ position_msat }) => position_msat ?? 0);
    const moved = positions.map((positionMsat, i) => positionMsat - (before.nodes[i]?.position_msat ?? 0));
    expect(moved).toEqual([500_000, -500_000]);
    const { text: metrics } = await client.request('GET', '/metrics');
    for (const { ln_node_id, position_msat } of nodes) {
      expect(metrics).toContain(`satchel_node_position_msat{node="${ln_node_id}"} ${position_msat}\n`);
    }
    expect(positions[0]).toBe(-(positions[1] ?? 0));
    // What all nodes hold is what the ledger owes to all others.
    const [{ owed = 0 } = {}] = await app.rows('SELECT CAST(sum(balance_msat) AS BIGINT) AS owed FROM ledger_account WHERE id > 1');
    await app.restart();
    // The reconciliation at the start must not measure the node while money of the next test arrives.
    await app.reconcileAll();
    const held = nodes.reduce((sum, { held_msat }) => sum + (held_msat ?? 0), 0);
    const [{ total = 0 } = {}] = await app.rows('SELECT CAST(sum(balance_msat) AS BIGINT) AS total FROM ledger_account WHERE id > 1');
    expect(typeof owed).toBe('number');
    expect(held).toBe(total);
    expect(await app.openAlerts()).toEqual([]);
  });

  it('do not stop each other: while one is away, the wallets of the other send, receive and pay inside', async () => {
    const staying = await walletOn(app, 0, 1000);
    const other = await walletOn(app, 0, 0);
    const leaving = await walletOn(app, 1, 1000);
    const { payment_request: ofLeaving } = await client.post(`/v1/wallet/${leaving.id}/invoice`, { num_satoshis: 10 });
    nets[1].down();
    await expect.poll(async () => (await client.request('GET', '/readyz')).body).toMatchObject({ status: 'ready', node: 'partial' });
    const statuses = (await client.get('/v1/nodes')).map(({ status }: { status: string }) => status);
    expect(statuses).toEqual(['ready', 'unavailable']);
    // Send, receive, pay inside.
    expect((await pay(staying, nets[0].outside.invoice({ amountMsat: 50_000, script: { fee: 0 } }).paymentRequest)).status).toBe(201);
    const { payment_request: own } = await client.post(`/v1/wallet/${other.id}/invoice`, { num_satoshis: 100 });
    expect((await pay(staying, own)).status).toBe(201);
    await walletOn(app, 0, 70);
    // A wallet of the node that is away can still pay an invoice of the other node: the money moves inside.
    const { payment_request: inside } = await client.post(`/v1/wallet/${other.id}/invoice`, { num_satoshis: 30 });
    expect((await pay(leaving, inside)).status).toBe(201);
    expect([await balanceOf(client, staying), await balanceOf(client, other), await balanceOf(client, leaving)]).toEqual([850, 130, 970]);
    // What needs the node that is away is rejected before any money is held.
    const outside = nets[1].outside.invoice({ amountMsat: 10_000 }).paymentRequest;
    expect((await pay(leaving, outside)).body.type).toBe('node_unavailable');
    expect((await pay(staying, ofLeaving)).body.type).toBe('node_unavailable');
    expect(
      (await client.request('POST', `/v1/wallet/${leaving.id}/invoice`, { key: client.secretKey, json: { num_satoshis: 1 } })).body.type,
    ).toBe('node_unavailable');
    const { nodes } = await app.reconcileAll();
    expect(nodes.map(({ incomplete_reason }) => incomplete_reason === null)).toEqual([true, false]);
    nets[1].up();
    await expect.poll(async () => (await client.request('GET', '/readyz')).body.node).toBe('ok');
    expect((await pay(staying, ofLeaving)).status).toBe(201);
    await app.reconcileAll();
    expect(await app.openAlerts()).toEqual([]);
    expect(await problems()).toEqual([]);
  });

  it('get no new wallets while they are away, unless the request names them', async () => {
    const [first, second] = (await client.get('/v1/nodes')).map(({ id }: { id: string }) => id);
    // The first node has more wallets, so the next ones would be placed on the second.
    for (let i = 0; i < 20; i++) await client.post('/v1/wallet', { ln_node_id: first });
    await app.restart(() => nets[1].down());
    for (let i = 0; i < 3; i++) expect((await client.post('/v1/wallet', {})).ln_node_id).toBe(first);
    expect((await client.post('/v1/wallet', { ln_node_id: second })).ln_node_id).toBe(second);
    nets[0].down();
    await expect.poll(async () => (await client.request('GET', '/readyz')).body.node).toBe('unavailable');
    expect([first, second]).toContain((await client.post('/v1/wallet', {})).ln_node_id);
    for (const net of nets) net.up();
    await app.restart();
    await expect.poll(async () => (await client.request('GET', '/readyz')).body.node).toBe('ok');
    expect((await client.post('/v1/wallet', {})).ln_node_id).toBe(second);
    await app.reconcileAll();
  });

  it('are recognized after a restart, and what arrived at either meanwhile is credited', async () => {
    const wallets = [await walletOn(app, 0, 1), await walletOn(app, 1, 1)] as const;
    const requests: string[] = [];
    for (const { id } of wallets) requests.push((await client.post(`/v1/wallet/${id}/invoice`, { num_satoshis: 20 })).payment_request);
    const held = nets[1].outside.invoice({ amountMsat: 1000, hold: true });
    await client.request('POST', `/v1/wallet/${wallets[1].id}/withdraw`, {
      key: client.secretKey,
      json: { payment_request: held.paymentRequest, fee_limit_msat: 0 },
      headers: { prefer: 'respond-async' },
    });
    const arriving = nets.map((net, i) => net.outside.pay({ paymentRequest: requests[i] ?? '' }));
    await app.restart(() => nets[1].outside.resolveHold(held.paymentHash, 'settle'));
    await Promise.all(arriving);
    await expect.poll(() => Promise.all(wallets.map((one) => balanceOf(client, one)))).toEqual([21, 20]);
    expect(await nodeAccounts()).toHaveLength(2);
    await expect.poll(problems).toEqual([]);
  });

  it('can be drained: a draining node gets no new wallets, and its wallets work as before', async () => {
    const [first, second] = (await client.get('/v1/nodes')).map(({ id }: { id: string }) => id);
    const wallet = await walletOn(app, 1, 100);
    const draining = async () => (await client.get('/v1/nodes')).map((one: { draining: boolean }) => one.draining);
    expect(await draining()).toEqual([false, false]);
    expect(await app.act({ kind: 'drain', subject: second, target: '' })).toMatchObject({ state: 'done' });
    expect(await draining()).toEqual([false, true]);
    expect((await client.get(`/v1/node/${second}`)).draining).toBe(true);
    for (let i = 0; i < 3; i++) expect((await client.post('/v1/wallet', {})).ln_node_id).toBe(first);
    const named = await client.request('POST', '/v1/wallet', { key: client.secretKey, json: { ln_node_id: second } });
    expect(named.body).toMatchObject({ type: 'validation_failed', message: expect.stringContaining('draining') });
    expect((await pay(wallet, nets[1].outside.invoice({ amountMsat: 60_000, script: { fee: 0 } }).paymentRequest)).status).toBe(201);
    expect(await balanceOf(client, wallet)).toBe(40);
    expect(await app.act({ kind: 'move', subject: wallet.id, target: second })).toMatchObject({ state: 'refused' });
    expect(await app.act({ kind: 'activate', subject: second, target: '' })).toMatchObject({ state: 'done' });
    expect(await draining()).toEqual([false, false]);
    expect((await client.post('/v1/wallet', { ln_node_id: second })).ln_node_id).toBe(second);
    expect(await app.act({ kind: 'drain', subject: 'lnd_none', target: '' })).toMatchObject({ state: 'refused' });
  });

  it('exchange wallets: a moved wallet keeps its balance and history, and its open invoices are paid at the old node', async () => {
    const [first, second] = (await client.get('/v1/nodes')).map(({ id }: { id: string }) => id);
    const wallet = await walletOn(app, 0, 1000);
    const { payment_request: old } = await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 50 });
    const held = nets[0].outside.invoice({ amountMsat: 1000, hold: true });
    await client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, {
      key: client.secretKey,
      json: { payment_request: held.paymentRequest },
      headers: { prefer: 'respond-async' },
    });
    const refused = await app.act({ kind: 'move', subject: wallet.id, target: second });
    expect(refused).toMatchObject({ state: 'refused', answer: expect.stringContaining('pending payments (1)') });
    nets[0].outside.resolveHold(held.paymentHash, 'cancel');
    await expect.poll(async () => (await client.get(`/v1/wallet/${wallet.id}`)).pending_msat).toBe(0);
    const history = await client.get(`/v1/wallet/${wallet.id}/transactions`);

    expect(await app.act({ kind: 'move', subject: wallet.id, target: second })).toMatchObject({ state: 'done', reason: 'a test' });
    await expect.poll(async () => (await client.get(`/v1/wallet/${wallet.id}`)).ln_node_id).toBe(second);
    expect(await balanceOf(client, wallet)).toBe(1000);
    const after = await client.get(`/v1/wallet/${wallet.id}/transactions`);
    expect(after.map(({ id }: { id: string }) => id)).toEqual(history.map(({ id }: { id: string }) => id));
    expect(after[0].lnTx.ln_node_id).toBe(first);

    // Money arrives at both nodes and leaves from the new one.
    await nets[0].outside.pay({ paymentRequest: old });
    await expect.poll(() => balanceOf(client, wallet)).toBe(1050);
    const { payment_request: fresh, ln_node_id: node } = await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 5 });
    expect(node).toBe(second);
    await nets[1].outside.pay({ paymentRequest: fresh });
    await expect.poll(() => balanceOf(client, wallet)).toBe(1055);
    expect((await pay(wallet, nets[1].outside.invoice({ amountMsat: 55_000, script: { fee: 0 } }).paymentRequest)).status).toBe(201);
    expect(await balanceOf(client, wallet)).toBe(1000);
    for (const one of (await app.reconcileAll()).nodes) expect(one).toMatchObject({ contradictions: [], difference_msat: 0 });
    expect(await problems()).toEqual([]);
  });

  it('own the money that moved through them: `verify` reports a payment or an invoice of another node', async () => {
    const other = 'node_id = (SELECT n.id FROM lightning_node n WHERE n.id <> node_id)';
    const [{ payment = '' } = {}] = await app.rows(
      `SELECT id AS payment FROM payment WHERE state = 'succeeded' AND invoice_id IS NULL LIMIT 1`,
    );
    expect(await app.problemsAfter(`UPDATE payment SET ${other} WHERE id = $1`, payment)).toEqual([
      `${payment}: its money left another node than its own`,
    ]);
    const [{ invoice = '' } = {}] = await app.rows(
      'SELECT i.id AS invoice FROM invoice i JOIN ledger_transfer t ON t.to_lntx = i.id WHERE t.from_account <= 1 LIMIT 1',
    );
    expect(await app.problemsAfter(`UPDATE invoice SET ${other} WHERE id = $1`, invoice)).toEqual([
      `${invoice}: its money arrived at another node than its own`,
    ]);
  });
});
