import { expect, it } from 'vitest';
import { onTwoFakeNodes } from '../support/app.ts';
import type { Json } from '../support/client.ts';
import { commandSettings, runSatchel } from '../support/process.ts';

onTwoFakeNodes('satchel node', (app) => {
  const { client, nets } = app;
  const run = (...args: string[]) => runSatchel(['node', ...args], commandSettings(client));
  const nodeIds = async (): Promise<[string, string]> => (await client.get('/v1/nodes')).map(({ id }: Json) => id);

  it('lists the nodes with their states and the number of their wallets, as GET /v1/nodes shows them', async () => {
    const [first, second] = await client.get('/v1/nodes');
    for (let i = 0; i < 2; i++) await client.post('/v1/wallet', { ln_node_id: second.id });
    const { code, stdout } = await run('list');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ *node +state +wallets +public key\n/);
    expect(stdout).toMatch(new RegExp(`${first.id} +active +0 +${first.default_pubkey}\n`));
    expect(stdout).toMatch(new RegExp(`${second.id} +active +2 +${second.default_pubkey}\n`));
  });

  it('drains a node, which then gets no new wallets, and activates it', async () => {
    const [first, second] = await nodeIds();
    const draining = async () => (await client.get('/v1/nodes')).map((one: Json) => one.draining);
    expect(await run('drain', second, '--reason', 'replaced')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Done: ${second} gets no new wallets.`),
    });
    expect(await draining()).toEqual([false, true]);
    expect((await run('list')).stdout).toMatch(new RegExp(`${second} +draining`));
    expect((await client.post('/v1/wallet', {})).ln_node_id).toBe(first);
    expect(await run('activate', second, '--reason', 'kept')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Done: ${second} gets new wallets.`),
    });
    expect(await draining()).toEqual([false, false]);
    expect((await run('list')).stdout).not.toContain('draining');
  });

  it('moves a wallet with its balance, and refuses to move one that has pending payments', async () => {
    const [first, second] = await nodeIds();
    const { id } = await client.post('/v1/wallet', { ln_node_id: first });
    const { payment_request: paymentRequest } = await client.post(`/v1/wallet/${id}/invoice`, { num_satoshis: 100 });
    await nets[0].outside.pay({ paymentRequest });
    const wallet = async (): Promise<Json> => await client.get(`/v1/wallet/${id}`);
    await expect.poll(async () => (await wallet()).balance).toBe(100);
    const held = nets[0].outside.invoice({ amountMsat: 1000, hold: true, script: { fee: 0 } });
    const json = { payment_request: held.paymentRequest };
    await client.request('POST', `/v1/wallet/${id}/withdraw`, { key: client.secretKey, json, headers: { prefer: 'respond-async' } });
    const move = () => run('move', id, second, '--reason', 'replaced');
    expect(await move()).toMatchObject({ code: 1, stdout: '', output: expect.stringContaining('pending payments (1)') });
    nets[0].outside.resolveHold(held.paymentHash, 'settle');
    await expect.poll(async () => (await wallet()).balance).toBe(99);
    expect(await move()).toMatchObject({ code: 0, stdout: expect.stringContaining(`Done: ${id} was moved from ${first} to ${second}.`) });
    await expect.poll(async () => (await wallet()).ln_node_id).toBe(second);
    expect((await wallet()).balance).toBe(99);
    const { paymentRequest: ofNewNetwork } = nets[1].outside.invoice({ amountMsat: 99_000, script: { fee: 0 } });
    await client.post(`/v1/wallet/${id}/withdraw`, { payment_request: ofNewNetwork });
    expect((await wallet()).balance).toBe(0);
    expect(await app.problems()).toEqual([]);
  });

  it('changes nothing for an unknown node or wallet, and reports that no service runs', async () => {
    const [first] = await nodeIds();
    expect(await run('drain', 'lnd_none', '--reason', 'x')).toMatchObject({ code: 1, output: expect.stringContaining('There is no node') });
    expect(await run('move', 'wal_none', first, '--reason', 'x')).toMatchObject({
      code: 1,
      output: expect.stringContaining('There is no wallet'),
    });
    await app.restart(async () => {
      expect(await run('drain', first, '--reason', 'x')).toMatchObject({
        code: 2,
        output: expect.stringContaining('no service answers'),
      });
    });
    expect((await run('list')).stdout).not.toContain('draining');
  });
});

it.each([
  [['list', 'all'], 'Too many arguments'],
  [['--reason', 'x'], "Unknown option '--reason'."],
  [['stop', 'lnd_1', '--reason', 'x'], "Unknown command 'stop'."],
  [['drain', 'lnd_1', 'lnd_2', '--reason', 'x'], 'Too many arguments'],
  [['move', 'wal_1', '--reason', 'x'], "Missing required argument 'node'."],
  [['drain', 'lnd_1'], "Required option '--reason <text>' not specified."],
  [['drain', '02'.repeat(33), '--reason', 'x'], 'The node must be an id'],
  [['move', 'waka_1', 'lnd_1', '--reason', 'x'], 'not a key'],
])('satchel node rejects %j with the reason', async (args, message) => {
  const rejected = await runSatchel(['node', ...args], { DATA_DIR: '/nowhere/at/all' });
  expect(rejected).toMatchObject({ code: 2, stdout: '', output: expect.stringContaining(message) });
});
